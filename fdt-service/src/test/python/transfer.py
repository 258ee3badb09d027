"""Submits a transfer with the generated client, waits for its end, and prints its events: URL TOKEN SOURCE PATH DESTINATION PATH."""

import sys

from fdt_service import AuthenticatedClient
from fdt_service.api.default import get_tasks_task, get_tasks_task_events, post_tasks
from fdt_service.models import CopyOptions, PostTasksBody, Problem

url, token, source, source_path, destination, destination_path = sys.argv[1:]
client = AuthenticatedClient(base_url=url, token=token, timeout=70)

body = PostTasksBody(
    source_endpoint=source,
    source_paths=[source_path],
    destination_endpoint=destination,
    destination_path=destination_path,
    label="from Python",
    submission_id="python-1",
    options=CopyOptions(recursive=True, sync="checksum", filters=["- *.tmp"]),
)
task = post_tasks.sync(client=client, body=body)
assert not isinstance(task, Problem), task.detail
again = post_tasks.sync(client=client, body=body)
assert again.task_id == task.task_id, "the same submission_id gave a second task"

while task.ended is None:
    task = get_tasks_task.sync(task.task_id, client=client, wait=60)
print(task.state, task.files_done, task.bytes_done, task.ended.tzinfo is not None)

for event in get_tasks_task_events.sync(task.task_id, client=client).events:
    print(event.number, event.code, event.detail)

refused = post_tasks.sync(client=client, body=PostTasksBody(source_endpoint="nowhere", source_paths=["/x"]))
print(type(refused).__name__, refused.status, refused.detail)
