// One task: how it gets on, what went wrong and what to do about it, and what may be changed.

import {ask, get, may, onReturn, onTask, part, post} from './api.js';
import {bytes, fromLocal, remaining, time, toLocal} from './format.js';
import {html, nothing} from './lit.js';
import {attempt, button, confirm, field, submit, tell} from './parts.js';
import {Plot} from './plot.js';
import {openSheet} from './sheet.js';
import {badge, hasEnded, meter, what} from './tasks.js';

const WORDS = {
  submitted: 'Submitted', started: 'Started', found_again: 'Found again', fault: 'Fault', problem: 'Problem',
  notice: 'Notice', modified: 'Changed', paused: 'Paused', resumed: 'Resumed', succeeded: 'Succeeded',
  failed: 'Failed', cancelled: 'Cancelled',
};
const MOST_EVENTS = 1000;

const isMoving = task => task.state === 'active' && task.bytes_per_second !== undefined;

function facts(task) {
  const left = task.bytes_total - task.bytes_done;
  const all = [
    ['What', what(task)],
    ['Paths', task.source_paths.length > 1 && html`<details><summary>${task.source_paths.length} paths</summary>
      <ul>${task.source_paths.map(path => html`<li>${path}</li>`)}</ul></details>`],
    ['Bytes', bytes(task.bytes_done) + ' of ' + bytes(task.bytes_total)],
    ['Files', `${task.files_done.toLocaleString()} of ${task.files_total.toLocaleString()} done`
      + (task.files_failed ? `, ${task.files_failed.toLocaleString()} failed` : '')],
    ['Rate', isMoving(task) && bytes(task.bytes_per_second) + '/s, ' + task.streams + ' streams'
      + (task.bytes_per_second > 0 && left > 0 ? ', about ' + remaining(left / task.bytes_per_second) + ' left' : '')],
    ['Stalled', isMoving(task) && task.stalled_ms > 5000 && Math.round(task.stalled_ms / 1000) + ' s without data'],
    ['Faults', task.faults],
    ['Next attempt', task.state === 'retrying' && time(task.retry_at)],
    ['Limit', task.limit ? bytes(task.limit) + '/s' : 'none'],
    ['Priority', String(task.priority)],
    ['Gives up at', !hasEnded(task) && time(task.deadline)],
    ['Submitted', time(task.created) + ' by ' + task.user],
    ['Ended', time(task.ended)],
    ['Options', Object.entries(task.options).filter(([, value]) => value !== false)
      .map(([name, value]) => name.replaceAll('_', ' ') + (value === true ? '' : ': ' + [].concat(value).join('; ')))
      .join(', ')],
    ['Id', task.task_id],
  ];
  return html`<dl>${all.filter(([, value]) => value).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

const eventItem = event => html`<li class=${event.is_error ? 'error' : ''}>
  <time datetime=${event.time}>${time(event.time)}</time>
  <strong>${WORDS[event.code] || event.code}</strong>${event.detail ? ': ' + event.detail : ''}</li>`;

function faults(events) {
  // The end repeats what went wrong with a file.
  const hasProblems = events.some(event => event.code === 'problem');
  const bad = events.filter(event => event.is_error && !(hasProblems && event.code === 'failed'));
  const byAdvice = new Map();
  for (const event of bad) {
    const key = event.advice || '';
    byAdvice.set(key, [...(byAdvice.get(key) || []), event]);
  }
  return bad.length === 0 ? nothing : html`
    <section aria-label="Faults"><h2>What went wrong</h2>${[...byAdvice].map(([advice, group]) => html`
      <div class="fault">${group.slice(-3).map(event => html`<p>${event.detail}</p>`)}
        ${group.length > 3 ? html`<p class="soft">and ${group.length - 3} more of this kind</p>` : nothing}
        ${advice ? html`<p class="advice"><strong>What to do: </strong>${advice}</p>` : nothing}</div>`)}
    </section>`;
}

export function taskView(draw, id) {
  const plot = new Plot();
  const path = 'tasks/' + part(id);
  const events = new Map();
  let task = null;
  let refused = '';
  let hasMore = false;
  let lastEvent = '';

  /** Reads on from the last event that is known: a task can have thousands. */
  let reading = Promise.resolve();
  const readEvents = () => {
    reading = reading.then(attempt(async () => {
      let page;
      do {
        page = await get(path + '/events?limit=200' + (lastEvent ? '&cursor=' + part(lastEvent) : ''));
        page.events.forEach(event => events.set(event.number, event));
        lastEvent = page.next_cursor || lastEvent;
      } while (page.next_cursor && events.size < MOST_EVENTS);
      hasMore = Boolean(page.next_cursor);
      draw();
    }));
  };

  function update(now) {
    if (task && now.version < task.version) {
      return;
    }
    if (task?.version !== now.version) {
      readEvents();
    }
    task = now;
    if (isMoving(task)) {
      plot.add(task.bytes_per_second, Date.now());
    }
    draw();
  }

  const change = (word, disabled) => button(word[0].toUpperCase() + word.slice(1), async () => {
    if (word !== 'cancel' || await confirm('Cancel this task? What has arrived stays.', 'Cancel the task')) {
      update(await post(`${path}/${word}`));
    }
  }, {disabled});

  const modify = submit(async given => {
    update(await ask('PATCH', path, {
      label: given.label,
      limit: Math.round(Number(given.limit) * 1048576),
      priority: Number(given.priority),
      ...(given.deadline && given.deadline !== toLocal(task.deadline) && {deadline: fromLocal(given.deadline)}),
    }, {'If-Match': '*'}));
    tell('Changed.');
  });

  const content = () => html`
    <p id="state" aria-live="polite">${badge(task.state)}${task.intent ? ` ${task.intent} asked for` : ''}
      <span class="message">${task.message}</span></p>
    ${may('tasks') ? html`<div class="row">
      ${change('pause', hasEnded(task) || task.state === 'paused')}${change('resume', task.state !== 'paused')}
      ${change('cancel', hasEnded(task))}
      ${button('Submit again', () => openSheet(task), {disabled: task.kind !== 'transfer'})}</div>` : nothing}
    ${meter(task)}
    ${faults([...events.values()])}
    <section aria-label="Rate" ?hidden=${plot.isEmpty}><h2>Rate</h2>${plot.element}</section>
    <div class="columns">
      <section aria-label="Facts"><h2>Facts</h2>${facts(task)}</section>
      <section aria-label="Events"><h2>Events</h2>
        <ol class="events">${[...events.values()].map(eventItem)}</ol>
        ${hasMore ? html`<p class="note">The first ${events.size} events are shown; all of them:
          <code>fdt task events ${id}</code></p>` : nothing}</section></div>
    ${!hasEnded(task) && may('tasks') ? html`<section aria-label="Change"><h2>Change</h2>
      <form class="row" @submit=${modify}>
        ${field('Label', {name: 'label', value: task.label, maxlength: 200, wide: true})}
        ${field('Limit, MiB/s', {name: 'limit', type: 'number', min: 0, step: 'any', placeholder: 'none',
          value: task.limit ? task.limit / 1048576 : ''})}
        ${field('Priority', {name: 'priority', type: 'number', min: -100, max: 100, value: task.priority})}
        ${field('Give up at', {name: 'deadline', type: 'datetime-local', value: toLocal(task.deadline)})}
        <button>Change</button></form></section>` : nothing}`;

  const end = onTask(news => {
    if (news.task_id === id) {
      update(news);
    }
  });
  const load = attempt(async () => {
    try {
      update(await get(path));
    } catch (error) {
      refused = error.status === 404 ? error.message : '';
      draw();
      throw error;
    }
    const history = await get(path + '/rates');
    if (history.rates.length > 0) {
      plot.begin(history);
      draw();
    }
  });
  const endReturn = onReturn(load);
  load();
  return {
    title: () => task ? task.label || 'Task ' + task.task_id : 'Task',
    state: () => task?.state,
    end() {
      end();
      endReturn();
      plot.end();
    },
    content: () => html`
      <p><a href="#/tasks">All tasks</a></p>
      ${refused ? html`<p class="error">${refused}</p>` : task ? content() : nothing}`,
  };
}
