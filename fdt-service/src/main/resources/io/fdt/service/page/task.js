// One task: how it gets on, what went wrong and what to do about it, and what may be changed.

import {ask, get, may, onReturn, onTask, part, post} from './api.js';
import {attempt, button, bytes, confirm, el, field, fromLocal, number, remaining, show, tell, text, time, toLocal}
  from './dom.js';
import {Plot} from './plot.js';
import {openSheet} from './sheet.js';
import {badge, hasEnded, meter, what} from './tasks.js';

const WORDS = {
  submitted: 'Submitted', started: 'Started', found_again: 'Found again', fault: 'Fault', problem: 'Problem',
  notice: 'Notice', modified: 'Changed', paused: 'Paused', resumed: 'Resumed', succeeded: 'Succeeded',
  failed: 'Failed', cancelled: 'Cancelled',
};

function facts(task) {
  const list = el('dl');
  const add = (name, value) => value && list.append(el('dt', {}, name), el('dd', {}, value));
  add('What', what(task));
  if (task.source_paths.length > 1) {
    add('Paths', el('details', {}, el('summary', {}, task.source_paths.length + ' paths'),
        el('ul', {}, ...task.source_paths.map(path => el('li', {}, path)))));
  }
  add('Bytes', bytes(task.bytes_done) + ' of ' + bytes(task.bytes_total));
  add('Files', `${task.files_done.toLocaleString()} of ${task.files_total.toLocaleString()} done`
      + (task.files_failed ? `, ${task.files_failed.toLocaleString()} failed` : ''));
  if (task.state === 'active' && task.bytes_per_second !== undefined) {
    const left = task.bytes_total - task.bytes_done;
    add('Rate', bytes(task.bytes_per_second) + '/s, ' + task.streams + ' streams'
        + (task.bytes_per_second > 0 && left > 0 ? ', about ' + remaining(left / task.bytes_per_second) + ' left' : ''));
    add('Stalled', task.stalled_ms > 5000 ? Math.round(task.stalled_ms / 1000) + ' s without data' : '');
  }
  add('Faults', task.faults ? String(task.faults) : '');
  add('Next attempt', task.state === 'retrying' ? time(task.retry_at) : '');
  add('Limit', task.limit ? bytes(task.limit) + '/s' : 'none');
  add('Priority', String(task.priority));
  add('Gives up at', hasEnded(task) ? '' : time(task.deadline));
  add('Submitted', time(task.created) + ' by ' + task.user);
  add('Ended', time(task.ended));
  add('Options', Object.entries(task.options).filter(([, value]) => value !== false)
      .map(([name, value]) => name.replaceAll('_', ' ') + (value === true ? '' : ': ' + [].concat(value).join('; ')))
      .join(', '));
  add('Id', task.task_id);
  return list;
}

function eventItem(event) {
  return el('li', {class: event.is_error ? 'error' : ''},
      el('time', {datetime: event.time}, time(event.time)), ' ',
      el('strong', {}, WORDS[event.code] || event.code), event.detail ? ': ' + event.detail : '');
}

export function taskView(view, id) {
  const head = el('h1', {tabindex: '-1'}, 'Task');
  const state = el('p', {id: 'state', 'aria-live': 'polite'});
  const body = el('div');
  const bar = el('div');
  const events = el('ol', {class: 'events'});
  const more = el('div', {class: 'row'});
  const faults = el('section', {'aria-label': 'Faults', hidden: true});
  const rate = el('section', {'aria-label': 'Rate', hidden: true});
  const plot = new Plot();
  rate.append(el('h2', {}, 'Rate'), plot.element);
  const change = word => button(word[0].toUpperCase() + word.slice(1), async () => {
    if (word !== 'cancel' || await confirm('Cancel this task? What has arrived stays.', 'Cancel the task')) {
      update(await post(`tasks/${part(id)}/${word}`));
    }
  });
  const buttons = {pause: change('pause'), resume: change('resume'), cancel: change('cancel')};
  let task = null;
  const again = button('Submit again', () => openSheet(task));
  const label = text('label', {maxlength: '200'});
  const limit = number('limit', {min: '0', step: 'any', placeholder: 'none'});
  const priority = number('priority', {min: '-100', max: '100'});
  const deadline = el('input', {type: 'datetime-local', name: 'deadline'});
  const form = el('form', {class: 'row', submit: attempt(async () => {
    const changes = {label: label.value, limit: Math.round(Number(limit.value || 0) * 1048576),
      priority: Number(priority.value || 0)};
    if (deadline.value && deadline.value !== toLocal(task.deadline)) {
      changes.deadline = fromLocal(deadline.value);
    }
    update(await ask('PATCH', 'tasks/' + part(id), changes, {'If-Match': '*'}));
    tell('Changed.');
  })}, field('Label', label, {wide: true}), field('Limit, MiB/s', limit), field('Priority', priority),
  field('Give up at', deadline), el('button', {}, 'Change'));
  const changing = el('section', {'aria-label': 'Change'}, el('h2', {}, 'Change'), form);
  let version = -1;
  let hasForm = false;
  let lastEvent = '';
  const known = new Map();

  /** Reads on from the last event that is known: a task can have thousands. */
  let reading = Promise.resolve();
  const readEvents = () => {
    reading = reading.then(attempt(async () => {
      let page;
      do {
        page = await get(`tasks/${part(id)}/events?limit=200` + (lastEvent ? '&cursor=' + part(lastEvent) : ''));
        for (const event of page.events) {
          if (!known.has(event.number)) {
            known.set(event.number, event);
          }
        }
        if (page.next_cursor) {
          lastEvent = page.next_cursor;
        }
      } while (page.next_cursor && known.size < 1000);
      showEvents(Boolean(page.next_cursor));
    }));
    return reading;
  };

  function showEvents(hasMore) {
    const all = [...known.values()];
    show(events, ...all.map(eventItem));
    show(more, hasMore ? el('p', {class: 'note'}, `The first ${all.length} events are shown; all of them: `,
        el('code', {}, 'fdt task events ' + id)) : null);
    // The end repeats what went wrong with a file.
    const hasProblems = all.some(event => event.code === 'problem');
    const bad = all.filter(event => event.is_error && !(hasProblems && event.code === 'failed'));
    const byAdvice = new Map();
    for (const event of bad) {
      const key = event.advice || '';
      byAdvice.set(key, [...(byAdvice.get(key) || []), event]);
    }
    faults.hidden = bad.length === 0;
    show(faults, el('h2', {}, 'What went wrong'), ...[...byAdvice].map(([advice, group]) =>
      el('div', {class: 'fault'}, ...group.slice(-3).map(event => el('p', {}, event.detail)),
          group.length > 3 ? el('p', {class: 'soft'}, `and ${group.length - 3} more of this kind`) : null,
          advice ? el('p', {class: 'advice'}, el('strong', {}, 'What to do: '), advice) : null)));
  }

  function update(now) {
    if (now.version < version) {
      return;
    }
    task = now;
    head.textContent = task.label || 'Task ' + task.task_id;
    document.title = task.state + ' - ' + head.textContent + ' - FDT';
    const stateText = task.state + (task.intent ? ', ' + task.intent + ' asked for' : '');
    if (state.dataset.state !== stateText + task.message) {
      state.dataset.state = stateText + task.message;
      show(state, badge(task.state), task.intent ? ' ' + task.intent + ' asked for' : '',
          task.message ? el('span', {class: 'message'}, ' ' + task.message) : null);
    }
    show(body, facts(task));
    show(bar, meter(task));
    if (task.state === 'active' && task.bytes_per_second !== undefined) {
      plot.add(task.bytes_per_second, Date.now());
      rate.hidden = false;
    }
    buttons.pause.disabled = hasEnded(task) || task.state === 'paused';
    buttons.resume.disabled = task.state !== 'paused';
    buttons.cancel.disabled = hasEnded(task);
    again.disabled = task.kind !== 'transfer';
    changing.hidden = hasEnded(task) || !may('tasks');
    if (!hasForm) {
      hasForm = true;
      label.value = task.label;
      limit.value = task.limit ? task.limit / 1048576 : '';
      priority.value = task.priority;
      deadline.value = toLocal(task.deadline);
    }
    if (task.version !== version) {
      version = task.version;
      readEvents();
    }
  }

  show(view, el('p', {}, el('a', {href: '#/tasks'}, 'All tasks')), head, state,
      may('tasks') ? el('div', {class: 'row'}, ...Object.values(buttons), again) : null,
      bar, faults, rate, el('div', {class: 'columns'},
          el('section', {'aria-label': 'Facts'}, el('h2', {}, 'Facts'), body),
          el('section', {'aria-label': 'Events'}, el('h2', {}, 'Events'), events, more)),
      changing);
  const end = onTask(news => {
    if (news.task_id === id) {
      update(news);
    }
  });
  const load = attempt(async () => {
    try {
      update(await get('tasks/' + part(id)));
    } catch (error) {
      if (error.status === 404) {
        show(view, head, el('p', {class: 'error'}, error.message), el('a', {href: '#/tasks'}, 'All tasks'));
      }
      throw error;
    }
    const history = await get(`tasks/${part(id)}/rates`);
    if (history.rates.length > 0) {
      plot.begin(history);
      rate.hidden = false;
    }
  });
  const endReturn = onReturn(load);
  load();
  return ['Task', () => {
    end();
    endReturn();
  }];
}
