"""What a user of a watch does with the changes that it tells."""


class Follower:
    """Adds up the changes of a watch, and checks that they fit together."""

    def __init__(self, watch):
        self.watch = watch
        self.found = {}
        self.meeting = {}

    def take(self):
        changes = self.watch.take_changes()
        assert not changes.found.keys() & changes.meeting.keys()
        assert not changes.gone & (changes.found.keys() | changes.meeting.keys())
        assert changes.gone <= self.found.keys() | self.meeting.keys(), "nothing is taken back that was never told"
        for pair in changes.gone | changes.found.keys() | changes.meeting.keys():
            self.found.pop(pair, None)
            self.meeting.pop(pair, None)
        self.found |= changes.found
        self.meeting |= changes.meeting
        return changes
