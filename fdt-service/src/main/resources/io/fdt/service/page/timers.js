// Recurring tasks.

import {ask, get, may, part, post} from './api.js';
import {attempt, button, confirm, duration, el, show, table, time} from './dom.js';
import {openSheet} from './sheet.js';
import {what} from './tasks.js';

export function timersView(view) {
  const rows = el('tbody');
  const note = el('p', {class: 'note'});

  const load = attempt(async () => {
    const {timers} = await get('timers');
    note.textContent = timers.length > 0 ? '' : 'There are no timers yet. A timer submits the same transfer again and again.';
    show(rows, ...timers.map(timer => {
      const path = 'timers/' + part(timer.name);
      const change = (word, label) => button(label, async () => {
        await post(`${path}/${word}`);
        await load();
      }, {'aria-label': label + ' ' + timer.name, disabled: !timer.next});
      return el('tr', {},
          el('td', {}, timer.name),
          el('td', {}, what(timer.task)),
          el('td', {}, 'every ' + duration(timer.interval),
              timer.window ? el('div', {class: 'soft'}, timer.window) : null),
          el('td', {}, !timer.next ? 'ended' : timer.paused ? 'paused' : time(timer.next),
              timer.end && timer.next ? el('div', {class: 'soft'}, 'until ' + time(timer.end)) : null),
          el('td', {class: 'optional'}, timer.last_task
            ? el('a', {href: '#/tasks/' + timer.last_task, 'aria-label': 'Last task of ' + timer.name}, timer.runs + ' so far')
            : 'none so far', timer.message ? el('div', {class: 'error'}, timer.message) : null),
          may('tasks') ? el('td', {}, el('div', {class: 'row'},
              timer.paused ? change('resume', 'Resume') : change('pause', 'Pause'),
              button('Remove', async () => {
                if (await confirm(`Remove the timer ${timer.name}? Its tasks stay.`, 'Remove')) {
                  await ask('DELETE', path);
                  await load();
                }
              }, {'aria-label': 'Remove ' + timer.name}))) : null);
    }));
  });

  show(view, el('h1', {tabindex: '-1'}, 'Timers'),
      may('tasks') ? el('div', {class: 'row'}, button('New timer', () => openSheet({}, true, load), {class: 'main'})) : null,
      note,
      table('Timers', ['Name', 'Transfer', 'How often', 'Next', ['Tasks', 'optional'],
        ...(may('tasks') ? ['Actions'] : [])], rows));
  load();
  return ['Timers'];
}
