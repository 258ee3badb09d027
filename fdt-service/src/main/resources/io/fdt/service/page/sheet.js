// The sheet: what moves, how, and when.

import {get, post} from './api.js';
import {fromLocal} from './format.js';
import {html} from './lit.js';
import {attempt, decide, field, openDialog, tell, values} from './parts.js';

const MIB = 1048576;
const ASPECTS = [['mode', 'Permissions'], ['times', 'Times'], ['sparse', 'Holes'],
  ['hard-links', 'Hard links'], ['xattrs', 'Extended attributes'], ['acls', 'Access lists'],
  ['owner', 'Owner and group'], ['special-bits', 'Special bits'], ['all-xattrs', 'All attributes']];
const USUAL_ASPECTS = ['mode', 'times', 'sparse'];

/** Choices, the usual one first: those are not sent, but for the first two. */
const CHOICES = {
  sync: [['mtime', 'size or time differ'], ['size', 'the size differs'],
    ['checksum', 'the content differs (both ends read it)'], ['exists', 'never: what is there stays']],
  checksum: [['crc32c', 'CRC32C'], ['xxh3', 'XXH3'], ['blake3', 'BLAKE3'], ['sha256', 'SHA-256'], ['none', 'none']],
  changing: [['fail', 'report it'], ['skip', 'leave it out'], ['copy', 'copy it as it is']],
  links: [['copy', 'copy as links'], ['follow', 'copy what they point to'], ['skip', 'leave out']],
  compress: [['off', 'no'], ['auto', 'where it helps'], ['zstd', 'zstd'], ['lz4', 'LZ4'], ['deflate', 'deflate']],
};
const BOXES = ['update', 'delete', 'delete_from_empty', 'verify', 'fsync', 'encrypt', 'one_file_system'];
const TEXTS = ['backup_dir', 'max_age', 'min_age', 'congestion', 'limit_schedule'];

/** Numbers, and what one of the field's is in the service's unit. */
const NUMBERS = {max_delete: 1, max_depth: 1, readers: 1, writers: 1, min_size: MIB, max_size: MIB,
  block_size: 1024, socket_buffer: 1024};

const UNITS = [['60', 'minutes'], ['3600', 'hours'], ['86400', 'days'], ['604800', 'weeks']];

const lines = text => text.split('\n').map(line => line.trim()).filter(line => line);

/** What the fields hold of a task that the service shows. */
function valuesOf(task) {
  const options = task.options || {};
  const rules = sign => (options.filters || []).filter(rule => rule[0] === sign).map(rule => rule.slice(2)).join('\n');
  const numbers = Object.entries(NUMBERS).filter(([name]) => options[name] !== undefined)
      .map(([name, factor]) => [name, options[name] / factor]);
  return {
    ...options,
    ...Object.fromEntries(numbers),
    ...task,
    source_paths: (task.source_paths || []).join('\n'),
    limit: task.limit ? task.limit / MIB : '',
    exclude: rules('-'),
    include: rules('+'),
    streams: options.tune_streams ? 'auto' : options.streams,
    preserve: options.preserve || USUAL_ASPECTS,
  };
}

/** The options that the fields say; the times of a task that was given stay where no others are. */
function optionsOf(given, former) {
  const options = {recursive: true, sync: given.sync, checksum: given.checksum};
  for (const name of BOXES.filter(one => one in given)) {
    options[name] = true;
  }
  for (const name of ['changing', 'links', 'compress'].filter(one => given[one] !== CHOICES[one][0][0])) {
    options[name] = given[name];
  }
  for (const name of TEXTS.filter(one => given[one])) {
    options[name] = given[name];
  }
  for (const [name, factor] of Object.entries(NUMBERS).filter(([one]) => given[one])) {
    options[name] = Math.round(Number(given[name]) * factor);
  }
  if (given.streams === 'auto') {
    options.tune_streams = true;
  } else if (given.streams) {
    options.streams = Number(given.streams);
  }
  // The first pattern that matches decides.
  const filters = [...lines(given.include).map(line => '+ ' + line), ...lines(given.exclude).map(line => '- ' + line)];
  if (filters.length > 0) {
    options.filters = filters;
  }
  const kept = ASPECTS.map(([word]) => word).filter(word => 'keep-' + word in given);
  if (kept.join() !== USUAL_ASPECTS.join()) {
    options.preserve = kept.length === 0 ? ['none'] : kept;
  }
  if (former.modified_after && !given.max_age) {
    options.modified_after = former.modified_after;
  }
  if (former.modified_before && !given.min_age) {
    options.modified_before = former.modified_before;
  }
  return options;
}

const taskOf = (given, former) => ({
  source_endpoint: given.source_endpoint,
  source_paths: lines(given.source_paths),
  destination_endpoint: given.destination_endpoint,
  destination_path: given.destination_path,
  label: given.label,
  priority: Number(given.priority),
  limit: Math.round(Number(given.limit) * MIB),
  options: optionsOf(given, former),
});

const timerOf = (given, former) => ({
  name: given.timer,
  interval: Math.round(Number(given.every) * Number(given.unit)),
  task: taskOf(given, former),
  ...(given.start && {start: fromLocal(given.start)}),
  ...(given.end && {end: fromLocal(given.end)}),
  ...(given.window && {window: given.window}),
});

/** The fields; what they hold at first is what is known of the task. */
function fields(known, endpoints, isTimer, setTimer) {
  const names = endpoints.map(({name}) => [name, name]);
  const text = (label, name, more) => field(label, {name, value: known[name], ...more});
  const number = (label, name, more) => text(label, name, {type: 'number', min: 0, ...more});
  const choice = (label, name, choices = CHOICES[name]) =>
    text(label, name, {choices, value: known[name] ?? choices[0]?.[0], required: true});
  const box = (label, name) => field(label, {name, type: 'checkbox', checked: known[name] === true});
  const time = (label, name, more) => text(label, name, {type: 'datetime-local', ...more});
  const group = (title, content) => html`<details><summary>${title}</summary><div class="row">${content}</div></details>`;
  const paths = lines(known.source_paths).length;
  return html`
    <fieldset class="row"><legend>From and to</legend>
      ${choice('From endpoint', 'source_endpoint', names)}
      ${text('Paths, one in each line', 'source_paths', {rows: Math.min(6, Math.max(2, paths)), required: true, wide: true,
        hint: 'A path that ends with / stands for what is in it.'})}
      ${choice('To endpoint', 'destination_endpoint', names)}
      ${text('To path', 'destination_path', {required: true, wide: true, hint: 'Ends with / where it is a directory.'})}
    </fieldset>
    <div class="row">
      ${text('Label', 'label', {maxlength: 200, wide: true, hint: 'A text of your own, to find it again.'})}
      ${number('Priority', 'priority', {min: -100, max: 100, placeholder: '0', hint: 'Of your tasks the higher go first.'})}
      ${number('Limit, MiB/s', 'limit', {step: 'any', placeholder: 'none'})}</div>
    ${group('What is at the destination already', html`
      ${choice('Replace a file when', 'sync')}${box('Keep files that are newer there', 'update')}
      ${box('Delete there what the source lacks', 'delete')}
      ${number('Delete nothing if more than', 'max_delete', {placeholder: 'any number'})}
      ${box('Delete even if the source is empty', 'delete_from_empty')}
      ${text('Move what is replaced or deleted to', 'backup_dir', {placeholder: 'not kept', wide: true,
        hint: 'A directory, relative to the destination.'})}`)}
    ${group('Verification', html`
      ${box('Read files back from the disk and compare', 'verify')}
      ${box('Force files to the disk before they count as done', 'fsync')}
      ${choice('Checksum of files', 'checksum')}${box('Encrypt data on the way', 'encrypt')}
      ${choice('A file that changes meanwhile', 'changing')}`)}
    ${group('Filters', html`
      ${text('Leave out, one pattern in each line', 'exclude',
        {rows: 2, placeholder: '*.tmp\ncache/', wide: true, hint: 'As in .gitignore.'})}
      ${text('Take in any case', 'include', {rows: 2, placeholder: 'important.tmp', wide: true})}
      ${number('At least, MiB', 'min_size', {step: 'any', placeholder: 'none'})}
      ${number('At most, MiB', 'max_size', {step: 'any', placeholder: 'none'})}
      ${text('Changed within', 'max_age', {pattern: '[0-9]{1,6}[smhdw]', placeholder: 'such as 7d'})}
      ${text('Not changed for', 'min_age', {pattern: '[0-9]{1,6}[smhdw]', placeholder: 'such as 2h'})}
      ${number('Directories deep', 'max_depth', {min: 1, placeholder: 'no bound'})}
      ${box('Stay on one file system', 'one_file_system')}`)}
    ${group('Speed', html`
      ${text('Streams', 'streams', {pattern: 'auto|[0-9]{1,3}', placeholder: 'as needed', hint: 'A number, or auto.'})}
      ${choice('Compress', 'compress')}
      ${text('Rates by time of day', 'limit_schedule', {placeholder: '09:00-18:00=100M,else=off', wide: true,
        hint: 'As --limit of fdt copy.'})}
      ${number('Readers per disk', 'readers', {min: 1, max: 64, placeholder: '2'})}
      ${number('Writers per disk', 'writers', {min: 1, max: 64, placeholder: '2'})}
      ${number('Block, KiB', 'block_size', {min: 4, max: 65536, placeholder: '1024'})}
      ${number('Socket buffer, KiB', 'socket_buffer', {max: 1048576, placeholder: 'by the system'})}
      ${text('Congestion control', 'congestion', {pattern: '[a-z0-9_\\-]{0,15}', placeholder: 'by the system'})}`)}
    ${group('What is kept of files', html`
      ${ASPECTS.map(([word, label]) =>
        field(label, {name: 'keep-' + word, type: 'checkbox', checked: known.preserve.includes(word)}))}
      ${choice('Symbolic links', 'links')}`)}
    <div class="row">${field('Repeat by a timer', {name: 'repeat', type: 'checkbox', checked: isTimer,
      change: ({target}) => setTimer(target.checked)})}</div>
    <div class="row" ?hidden=${isTimer}>
      ${time('Give up at', 'deadline', {value: '', hint: 'Without a time: in three days.', disabled: isTimer})}</div>
    <fieldset class="row" ?hidden=${!isTimer} ?disabled=${!isTimer}><legend>Timer</legend>
      ${text('Name', 'timer', {pattern: '[A-Za-z0-9][A-Za-z0-9._\\-]*', maxlength: 63, required: true,
        hint: 'Letters, digits, dot, dash.'})}
      ${number('Every', 'every', {min: 1, max: 31622400, value: 1, required: true})}
      ${text('Unit', 'unit', {choices: UNITS, value: '86400'})}
      ${time('First at', 'start', {hint: 'Without a time: now.'})}${time('Not after', 'end')}
      ${text('Only between', 'window', {pattern: '[0-9]{2}:[0-9]{2}-[0-9]{2}:[0-9]{2}', placeholder: '22:00-06:00',
        hint: 'By the clock of the service. Without hours: all day.'})}</fieldset>`;
}

/**
 * Opens the sheet for a task.
 *
 * @param task what is known of it: as the service shows tasks
 * @param isTimer whether it is to be repeated
 * @param done called when a timer was made, where the view does not change then
 */
export async function openSheet(task, isTimer = false, done = null) {
  const {endpoints} = await get('endpoints');
  const known = valuesOf(task);
  const former = task.options || {};
  // The same for each try of this sheet: a request whose answer was lost does not start a second task.
  const id = crypto.randomUUID();
  let isRepeated = isTimer;
  let isSent = false;

  async function send(given, close) {
    if (isRepeated) {
      const timer = await post('timers', timerOf(given, former));
      close();
      tell('The timer ' + timer.name + ' was made.');
      if (done) {
        done();
      } else {
        location.hash = '#/timers';
      }
      return;
    }
    const made = await submitTask({...taskOf(given, former), submission_id: id,
      ...(given.deadline && {deadline: fromLocal(given.deadline)})});
    close();
    location.hash = '#/tasks/' + made.task_id;
  }

  openDialog(isTimer ? 'New timer' : 'Transfer', (close, draw) => html`
    <form @submit=${attempt(async ({target}) => {
      if (isSent) {
        return;
      }
      isSent = true;
      try {
        await send(values(target), close);
      } finally {
        isSent = false;
      }
    })} @invalid=${{capture: true, handleEvent: ({target}) => {
      // A field that is wrong can be in a part that is folded: the browser could not show it.
      target.closest('details')?.setAttribute('open', '');
    }}}>${fields(known, endpoints, isRepeated, isOn => {
      isRepeated = isOn;
      draw();
    })}${decide(isRepeated ? 'Make the timer' : 'Start', close, 'last')}</form>`, {style: 'sheet'});
}

/** The id was used for what the form said before a change: then it is another task. */
async function submitTask(body) {
  try {
    return await post('tasks', body);
  } catch (error) {
    if (error.status === 409 && error.message.includes('submission id')) {
      return post('tasks', {...body, submission_id: crypto.randomUUID()});
    }
    throw error;
  }
}
