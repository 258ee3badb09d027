// The list of tasks, and one task.

import {ask, get, onTask, part, post} from './api.js';
import {attempt, bytes, choice, confirm, el, field, show, tell, time} from './dom.js';
import {Plot} from './plot.js';

const STATES = ['active', 'queued', 'retrying', 'paused', 'succeeded', 'failed', 'cancelled'];

function what(task) {
  const paths = task.source_paths;
  const source = task.source_endpoint + ':' + paths[0]
      + (paths.length > 1 ? ' and ' + (paths.length - 1) + ' more' : '');
  return task.kind === 'delete' ? 'Delete ' + source
    : source + ' \u2192 ' + task.destination_endpoint + ':' + task.destination_path;
}

function meter(task) {
  return el('progress', {max: String(Math.max(1, task.bytes_total)),
    value: task.state === 'succeeded' ? String(Math.max(1, task.bytes_total)) : String(task.bytes_done),
    'aria-label': 'Bytes'});
}

function row(task) {
  const rate = task.bytes_per_second === undefined ? '' : bytes(task.bytes_per_second) + '/s';
  return el('tr', {},
      el('td', {}, el('span', {class: task.state}, task.state)),
      el('td', {}, el('a', {href: '#/tasks/' + task.task_id}, task.label || what(task)),
          task.label ? el('div', {}, what(task)) : null),
      el('td', {class: 'optional'}, meter(task)),
      el('td', {class: 'number'}, bytes(task.bytes_done)),
      el('td', {class: 'number'}, rate),
      el('td', {class: 'optional'}, time(task.created)));
}

export function tasksView(view) {
  const rows = el('tbody');
  const shown = new Map();
  const more = el('div', {class: 'row'});
  const state = choice('state', [['', 'all'], ...STATES.map(s => [s, s])], '');
  const load = async cursor => {
    const page = await get('tasks?limit=50' + (state.value ? '&state=' + state.value : '')
        + (cursor ? '&cursor=' + part(cursor) : ''));
    for (const task of page.tasks) {
      const element = row(task);
      shown.set(task.task_id, element);
      rows.append(element);
    }
    show(more, ...(page.next_cursor ? [el('button', {type: 'button',
      click: attempt(() => load(page.next_cursor))}, 'Show more')] : []));
  };
  const reload = attempt(async () => {
    shown.clear();
    rows.replaceChildren();
    await load('');
  });
  state.addEventListener('change', reload);
  show(view, el('h1', {tabindex: '-1'}, 'Activity'),
      el('div', {class: 'row'}, field('State', state)),
      el('table', {}, el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, 'State'),
          el('th', {scope: 'col'}, 'Task'), el('th', {scope: 'col', class: 'optional'}, 'Progress'),
          el('th', {scope: 'col'}, 'Bytes'), el('th', {scope: 'col'}, 'Rate'),
          el('th', {scope: 'col', class: 'optional'}, 'Submitted'))), rows), more);
  reload();
  const end = onTask(task => {
    const before = shown.get(task.task_id);
    if (before) {
      const after = row(task);
      const hadFocus = before.contains(document.activeElement);
      before.replaceWith(after);
      shown.set(task.task_id, after);
      if (hadFocus) {
        after.querySelector('a').focus();
      }
    } else if (!state.value || state.value === task.state) {
      const element = row(task);
      shown.set(task.task_id, element);
      rows.prepend(element);
    }
  });
  return ['Activity', end];
}

function facts(task) {
  const list = el('dl');
  const add = (name, value) => list.append(el('dt', {}, name), el('dd', {}, value));
  add('What', what(task));
  add('State', el('span', {class: task.state, id: 'state'},
      task.state + (task.intent ? ', ' + task.intent + ' asked for' : '')));
  if (task.message) {
    add('Message', task.message);
  }
  add('Bytes', bytes(task.bytes_done) + ' of ' + bytes(task.bytes_total));
  add('Files', `${task.files_done} of ${task.files_total}, ${task.files_failed} failed`);
  if (task.bytes_per_second !== undefined) {
    add('Rate', bytes(task.bytes_per_second) + '/s, ' + task.streams + ' streams');
  }
  if (task.stalled_ms > 5000) {
    add('Stalled', Math.round(task.stalled_ms / 1000) + ' s without data');
  }
  add('Faults', String(task.faults));
  if (task.retry_at) {
    add('Next attempt', time(task.retry_at));
  }
  add('Limit', task.limit ? bytes(task.limit) + '/s' : 'none');
  add('Priority', String(task.priority));
  add('Deadline', time(task.deadline));
  add('Submitted', time(task.created));
  add('Ended', time(task.ended));
  return list;
}

export function taskView(view, id) {
  const head = el('h1', {tabindex: '-1'}, 'Task');
  const body = el('div');
  const events = el('ol');
  const plot = new Plot();
  const change = word => el('button', {type: 'button', click: attempt(async () => {
    if (word !== 'cancel' || await confirm('Cancel this task?', 'Cancel the task')) {
      update(await post(`tasks/${part(id)}/${word}`));
    }
  })}, word[0].toUpperCase() + word.slice(1));
  const buttons = {pause: change('pause'), resume: change('resume'), cancel: change('cancel')};
  const label = el('input', {name: 'label', maxlength: '200'});
  const limit = el('input', {name: 'limit', type: 'number', min: '0', step: 'any'});
  const priority = el('input', {name: 'priority', type: 'number', min: '-100', max: '100'});
  const form = el('form', {class: 'row', submit: attempt(async () => {
    update(await ask('PATCH', 'tasks/' + part(id), {
      label: label.value, limit: Math.round(Number(limit.value || 0) * 1048576),
      priority: Number(priority.value || 0)}, {'If-Match': '*'}));
    tell('Changed.');
  })}, field('Label', label, true), field('Limit, MiB/s', limit), field('Priority', priority),
  el('button', {}, 'Change'));
  let version = -1;
  let hasForm = false;

  const loadEvents = attempt(async () => {
    const page = await get(`tasks/${part(id)}/events?limit=1000`);
    show(events, ...page.events.map(event => el('li', {class: event.is_error ? 'error' : ''},
        `${time(event.time)}: ${event.code}${event.detail ? ' - ' + event.detail : ''}`)));
  });

  function update(task) {
    if (task.version < version) {
      return;
    }
    head.textContent = task.label || 'Task ' + task.task_id;
    show(body, facts(task), meter(task));
    if (task.bytes_per_second !== undefined) {
      plot.add(task.bytes_per_second);
    }
    const ended = STATES.indexOf(task.state) > 3;
    buttons.pause.disabled = ended || task.state === 'paused';
    buttons.resume.disabled = task.state !== 'paused';
    buttons.cancel.disabled = ended;
    form.hidden = ended;
    if (!hasForm) {
      hasForm = true;
      label.value = task.label;
      limit.value = task.limit ? task.limit / 1048576 : '';
      priority.value = task.priority;
    }
    if (task.version !== version) {
      version = task.version;
      loadEvents();
    }
  }

  show(view, head, el('div', {class: 'row'}, ...Object.values(buttons)), body,
      el('h2', {}, 'Rate'), plot.element, form, el('h2', {}, 'Events'), events);
  const end = onTask(task => {
    if (task.task_id === id) {
      update(task);
    }
  });
  attempt(async () => update(await get('tasks/' + part(id))))();
  return ['Task', end];
}
