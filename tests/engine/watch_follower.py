"""What a user of a watch does with the changes that it tells."""

import itertools

import meshclash as mc


class Follower:
    """Adds up the changes of a watch, and checks that they fit together."""

    def __init__(self, watch):
        self.watch = watch
        self.found = {}
        self.meeting = {}

    def update(self, slices=None, **options):
        """Updates the watch, or gives up after so many slices."""
        steps = mc.steps(self.watch.update, **options)
        for _ in itertools.count() if slices is None else range(slices):
            try:
                next(steps)
            except StopIteration as end:
                return self.take(end.value)
        steps.close()
        return None

    def take(self, changes=None):
        """Takes changes, those that were not told yet by default."""
        changes = self.watch.take_changes() if changes is None else changes
        assert not changes.found.keys() & changes.meeting.keys()
        assert not changes.gone & (changes.found.keys() | changes.meeting.keys())
        assert changes.gone <= self.found.keys() | self.meeting.keys(), "nothing is taken back that was never told"
        for pair in changes.gone | changes.found.keys() | changes.meeting.keys():
            self.found.pop(pair, None)
            self.meeting.pop(pair, None)
        self.found |= changes.found
        self.meeting |= changes.meeting
        return changes
