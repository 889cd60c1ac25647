"""Point clouds: scans as implicit surfaces, their contacts, distances, and deviations from a design."""

from ..errors import InvalidPointCloud as InvalidPointCloud
from ..pointcloud.cloud import PointCloud as PointCloud
from ..pointcloud.cloud_contacts import CloudContacts as CloudContacts
from ..pointcloud.cloud_distance import CloudDistance as CloudDistance
from ..pointcloud.deviation import deviation as deviation
from ..pointcloud.read import read_cloud as read_cloud
from ..pointcloud.read import read_points as read_points
