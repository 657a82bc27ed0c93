# Checks a wheel against its pinned SHA-256 and takes one member out of it.
# Arguments: wheel, expected digest, member, destination. Exit status 3 means "digest differs", with the
# digest found on standard output.
import hashlib
import os
import shutil
import sys
import zipfile

wheel, expected, member, destination = sys.argv[1:5]

digest = hashlib.sha256()
with open(wheel, "rb") as source:
    for block in iter(lambda: source.read(1 << 20), b""):
        digest.update(block)
if digest.hexdigest() != expected:
    print(digest.hexdigest())
    sys.exit(3)

with zipfile.ZipFile(wheel) as archive, archive.open(member) as source, open(destination, "wb") as target:
    shutil.copyfileobj(source, target, 1 << 20)
    target.flush()
    os.fsync(target.fileno())
os.chmod(destination, 0o755)
# An old, fixed time: cargo reruns a build script whose watched file is newer than its last run, and this
# file is written during that run.
os.utime(destination, (1_000_000_000, 1_000_000_000))
