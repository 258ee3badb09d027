// Lists of tasks: of one user, and of all.

import {get, may, onReturn, onTask, post, query, session} from './api.js';
import {attempt, button, bytes, confirm, el, field, shortTime, show, table, tell} from './dom.js';

export const STATES = ['active', 'queued', 'retrying', 'paused', 'succeeded', 'failed', 'cancelled'];
const PAGE = 50;

export const hasEnded = task => STATES.indexOf(task.state) > 3;

export function what(task) {
  const paths = task.source_paths;
  const source = task.source_endpoint + ':' + paths[0]
      + (paths.length > 1 ? ' and ' + (paths.length - 1) + ' more' : '');
  return task.kind === 'delete' ? 'Delete ' + source
    : source + ' \u2192 ' + task.destination_endpoint + ':' + task.destination_path;
}

export function badge(state) {
  return el('span', {class: 'badge ' + state}, state);
}

export function meter(task) {
  const share = task.bytes_total > 0 ? task.bytes_done / task.bytes_total
    : task.files_total > 0 ? task.files_done / task.files_total : 0;
  const isDone = task.state === 'succeeded';
  return el('progress', {max: '100', value: String(isDone ? 100 : Math.floor(100 * share)), 'aria-label': 'Done, percent'});
}

function row(task, chosen, isOfAll) {
  const rate = task.bytes_per_second === undefined || hasEnded(task) ? '' : bytes(task.bytes_per_second) + '/s';
  const box = el('input', {type: 'checkbox', 'aria-label': 'Choose ' + (task.label || what(task)),
    checked: chosen.has(task.task_id), change: () => {
      if (box.checked) {
        chosen.add(task.task_id);
      } else {
        chosen.delete(task.task_id);
      }
    }});
  return el('tr', {},
      may('tasks') ? el('td', {}, box) : null,
      el('td', {}, badge(task.state)),
      el('td', {}, el('a', {href: '#/tasks/' + task.task_id}, task.label || what(task)),
          task.label ? el('div', {class: 'soft'}, what(task)) : null,
          task.state === 'failed' || task.state === 'retrying'
            ? el('div', {class: 'error'}, task.message) : null),
      isOfAll ? el('td', {class: 'short'}, task.user) : null,
      el('td', {class: 'optional'}, meter(task)),
      el('td', {class: 'number optional'}, bytes(task.bytes_done)),
      el('td', {class: 'number'}, rate),
      el('td', {class: 'optional short'}, shortTime(task.created)));
}

/** A list with its filters; the result is its element and what ends it. */
export function taskList(user) {
  const isOfAll = user === '*';
  const rows = el('tbody');
  const shown = new Map();
  const chosen = new Set();
  const cursors = [''];
  const older = button('Older', () => load(cursors.length), {disabled: true});
  const newer = button('Newer', () => load(cursors.length - 2), {disabled: true});
  const note = el('p', {class: 'note', 'aria-live': 'polite'});
  const chips = el('div', {class: 'row chips', role: 'group', 'aria-label': 'State'});
  const search = el('input', {type: 'search', name: 'text', autocomplete: 'off'});
  let state = '';
  let next = '';
  let turn = 0;

  async function count() {
    const counts = await get('counts' + query({user: isOfAll ? '*' : '', text: search.value.trim()}));
    const all = STATES.reduce((sum, name) => sum + counts[name], 0);
    show(chips, ...[['', all], ...STATES.map(name => [name, counts[name]])].map(([name, number]) =>
      button(`${name || 'all'} ${number.toLocaleString()}`, () => {
        state = name;
        return load(0);
      }, {'aria-pressed': String(name === state), class: 'chip', 'data-state': name || 'all'})));
  }

  /** Shows the page of this number; only the first one is kept up to date with new tasks. */
  async function load(number) {
    const own = ++turn;
    if (number === 0) {
      cursors.length = 1;
    } else {
      cursors[number] = cursors[number] || next;
      cursors.length = number + 1;
    }
    const page = await get('tasks' + query({limit: PAGE, state, text: search.value.trim(),
      user: isOfAll ? '*' : '', cursor: cursors[number]}));
    if (own !== turn) {
      return;
    }
    shown.clear();
    chosen.clear();
    next = page.next_cursor || '';
    older.disabled = !next;
    newer.disabled = number === 0;
    show(rows, ...page.tasks.map(task => {
      const element = row(task, chosen, isOfAll);
      shown.set(task.task_id, element);
      return element;
    }));
    note.textContent = page.tasks.length > 0 ? ''
      : state || search.value.trim() ? 'No task matches.' : 'There are no tasks yet.';
    await count();
  }

  let pause = 0;
  search.addEventListener('input', () => {
    clearTimeout(pause);
    pause = setTimeout(attempt(() => load(0)), 250);
  });
  let recount = 0;
  const end = onTask(task => {
    if (!isOfAll && task.user !== session.user) {
      return;
    }
    const before = shown.get(task.task_id);
    if (before) {
      const after = row(task, chosen, isOfAll);
      const focused = before.contains(document.activeElement) ? document.activeElement.tagName : '';
      before.replaceWith(after);
      shown.set(task.task_id, after);
      if (focused) {
        after.querySelector(focused)?.focus();
      }
    } else if (cursors.length === 1 && !search.value.trim() && (!state || state === task.state)) {
      const element = row(task, chosen, isOfAll);
      shown.set(task.task_id, element);
      rows.prepend(element);
      note.textContent = '';
      while (rows.children.length > 2 * PAGE) {
        const last = rows.lastElementChild;
        shown.forEach((element, id) => element === last && shown.delete(id));
        last.remove();
      }
    }
    if (!recount) {
      recount = setTimeout(() => {
        recount = 0;
        attempt(count)();
      }, 1000);
    }
  });
  const endReturn = onReturn(attempt(() => load(cursors.length - 1)));
  const change = (word, question) => button(word[0].toUpperCase() + word.slice(1), async () => {
    const ids = [...chosen];
    if (ids.length === 0) {
      throw new Error('Choose tasks first.');
    }
    const many = ids.length === 1 ? 'this task' : `these ${ids.length} tasks`;
    if (question && !await confirm(`Cancel ${many}?`, 'Cancel ' + many)) {
      return;
    }
    const refused = [];
    for (const id of ids) {
      try {
        await post(`tasks/${id}/${word}`);
      } catch (error) {
        refused.push(error.message);
      }
    }
    tell(refused.length === 0 ? 'Done.' : `${ids.length - refused.length} done; ${refused[0]}`);
    await load(cursors.length - 1);
  });
  attempt(() => load(0))();
  const element = el('div', {}, chips, el('div', {class: 'row'}, field('Find', search, {wide: true}),
      ...(may('tasks') ? [el('div', {class: 'row', role: 'group', 'aria-label': 'The chosen tasks'},
          change('pause'), change('resume'), change('cancel', true))] : [])), note,
  table('Tasks', [...(may('tasks') ? [['Choose', 'narrow']] : []), 'State', 'Task', ...(isOfAll ? ['User'] : []),
    ['Progress', 'optional'], ['Bytes', 'optional'], 'Rate', ['Submitted', 'optional']], rows),
  el('div', {class: 'row'}, newer, older));
  return [element, () => {
    clearTimeout(pause);
    clearTimeout(recount);
    end();
    endReturn();
  }];
}

export function tasksView(view) {
  const [element, end] = taskList(session.user);
  show(view, el('h1', {tabindex: '-1'}, 'Activity'), element);
  return ['Activity', end];
}
