// The sheet: what moves, how, and when.

import {get, post} from './api.js';
import {attempt, box, choice, el, field, fromLocal, number, openDialog, tell, text} from './dom.js';

const MIB = 1048576;
const ASPECTS = [['mode', 'permissions'], ['times', 'times'], ['sparse', 'holes'],
  ['hard-links', 'hard links'], ['xattrs', 'extended attributes'], ['acls', 'access lists'],
  ['owner', 'owner and group'], ['special-bits', 'special bits'], ['all-xattrs', 'all attributes']];
const USUAL_ASPECTS = ['mode', 'times', 'sparse'];

const lines = area => area.value.split('\n').map(line => line.trim()).filter(line => line);

/** The fields of the sheet, and what they come to. */
class Sheet {
  constructor(endpoints) {
    const area = (name, attributes) => el('textarea', {name, rows: '2', spellcheck: 'false', ...attributes});
    const names = endpoints.map(endpoint => [endpoint.name, endpoint.name]);
    this.fields = {
      source_endpoint: choice('source_endpoint', names, ''),
      source_paths: area('source_paths', {required: true}),
      destination_endpoint: choice('destination_endpoint', names, ''),
      destination_path: text('destination_path', {required: true}),
      label: text('label', {maxlength: '200'}),
      sync: choice('sync', [['mtime', 'size or time differ'], ['size', 'the size differs'],
        ['checksum', 'the content differs (both ends read it)'], ['exists', 'never: what is there stays']], 'mtime'),
      update: box('update'),
      changing: choice('changing', [['fail', 'report it'], ['skip', 'leave it out'],
        ['copy', 'copy it as it is']], 'fail'),
      delete: box('delete'),
      max_delete: number('max_delete', {min: '0', placeholder: 'any number'}),
      backup_dir: text('backup_dir', {placeholder: 'not kept'}),
      verify: box('verify'),
      fsync: box('fsync'),
      checksum: choice('checksum', [['crc32c', 'CRC32C'], ['xxh3', 'XXH3'], ['blake3', 'BLAKE3'],
        ['sha256', 'SHA-256'], ['none', 'none']], 'crc32c'),
      encrypt: box('encrypt'),
      exclude: area('exclude', {placeholder: '*.tmp\ncache/'}),
      include: area('include', {placeholder: 'important.tmp'}),
      min_size: number('min_size', {min: '0', step: 'any', placeholder: 'none'}),
      max_size: number('max_size', {min: '0', step: 'any', placeholder: 'none'}),
      max_age: text('max_age', {pattern: '[0-9]{1,6}[smhdw]', placeholder: 'such as 7d'}),
      min_age: text('min_age', {pattern: '[0-9]{1,6}[smhdw]', placeholder: 'such as 2h'}),
      max_depth: number('max_depth', {min: '1', placeholder: 'no bound'}),
      one_file_system: box('one_file_system'),
      limit: number('limit', {min: '0', step: 'any', placeholder: 'none'}),
      limit_schedule: text('limit_schedule', {placeholder: '09:00-18:00=100M,else=off'}),
      streams: text('streams', {pattern: 'auto|[0-9]{1,3}', placeholder: 'as needed'}),
      compress: choice('compress', [['off', 'no'], ['auto', 'where it helps'], ['zstd', 'zstd'], ['lz4', 'LZ4'],
        ['deflate', 'deflate']], 'off'),
      readers: number('readers', {min: '1', max: '64', placeholder: '2'}),
      writers: number('writers', {min: '1', max: '64', placeholder: '2'}),
      block_size: number('block_size', {min: '4', max: '65536', placeholder: '1024'}),
      socket_buffer: number('socket_buffer', {min: '0', max: '1048576', placeholder: 'by the system'}),
      congestion: text('congestion', {pattern: '[a-z0-9_\\-]{0,15}', placeholder: 'by the system'}),
      links: choice('links', [['copy', 'copy as links'], ['follow', 'copy what they point to'],
        ['skip', 'leave out']], 'copy'),
      priority: number('priority', {min: '-100', max: '100', placeholder: '0'}),
      deadline: el('input', {type: 'datetime-local', name: 'deadline'}),
      repeat: box('repeat'),
      timer: text('timer', {pattern: '[A-Za-z0-9][A-Za-z0-9._\\-]*', maxlength: '63'}),
      every: number('every', {min: '1', max: '31622400'}),
      unit: choice('unit', [['60', 'minutes'], ['3600', 'hours'], ['86400', 'days'], ['604800', 'weeks']], '86400'),
      start: el('input', {type: 'datetime-local', name: 'start'}),
      end: el('input', {type: 'datetime-local', name: 'end'}),
      window: text('window', {pattern: '[0-9]{2}:[0-9]{2}-[0-9]{2}:[0-9]{2}', placeholder: '22:00-06:00'}),
    };
    this.aspects = ASPECTS.map(([word, label]) => [word, box('keep-' + word,
        {checked: USUAL_ASPECTS.includes(word)}), label]);
    this.fields.every.value = '1';
  }

  parts(isTimer) {
    const f = this.fields;
    const group = (title, isOpen, ...children) => el('details', {open: isOpen},
        el('summary', {}, title), el('div', {class: 'row'}, ...children));
    const onlyOnce = [field('Give up at', f.deadline, {hint: 'Without a time: in three days.'})];
    const often = el('fieldset', {class: 'row', hidden: true}, el('legend', {}, 'Timer'),
        field('Name', f.timer, {hint: 'Letters, digits, dot, dash.'}), field('Every', f.every),
        field('Unit', f.unit), field('First at', f.start, {hint: 'Without a time: now.'}),
        field('Not after', f.end),
        field('Only between', f.window, {hint: 'By the clock of the service. Without hours: all day.'}));
    const once = el('div', {class: 'row'}, ...onlyOnce);
    const follow = () => {
      often.hidden = !f.repeat.checked;
      once.hidden = f.repeat.checked;
      f.timer.required = f.every.required = f.repeat.checked;
      f.deadline.disabled = f.repeat.checked;
    };
    f.repeat.checked = isTimer;
    f.repeat.addEventListener('change', follow);
    follow();
    return [
      el('fieldset', {class: 'row'}, el('legend', {}, 'From and to'),
          field('From endpoint', f.source_endpoint),
          field('Paths, one in each line', f.source_paths,
              {wide: true, hint: 'A path that ends with / stands for what is in it.'}),
          field('To endpoint', f.destination_endpoint),
          field('To path', f.destination_path, {wide: true, hint: 'Ends with / where it is a directory.'})),
      el('div', {class: 'row'}, field('Label', f.label, {wide: true, hint: 'A text of your own, to find it again.'}),
          field('Priority', f.priority, {hint: 'Of your tasks the higher go first.'}),
          field('Limit, MiB/s', f.limit)),
      group('What is at the destination already', false,
          field('Replace a file when', f.sync), field('Keep files that are newer there', f.update),
          field('Delete there what the source lacks', f.delete),
          field('Delete nothing if more than', f.max_delete),
          field('Move what is replaced or deleted to', f.backup_dir, {wide: true,
            hint: 'A directory, relative to the destination.'})),
      group('Verification', false,
          field('Read files back from the disk and compare', f.verify),
          field('Force files to the disk before they count as done', f.fsync),
          field('Checksum of files', f.checksum), field('Encrypt data on the way', f.encrypt),
          field('A file that changes meanwhile', f.changing)),
      group('Filters', false,
          field('Leave out, one pattern in each line', f.exclude, {wide: true, hint: 'As in .gitignore.'}),
          field('Take in any case', f.include, {wide: true}),
          field('At least, MiB', f.min_size), field('At most, MiB', f.max_size),
          field('Changed within', f.max_age), field('Not changed for', f.min_age),
          field('Directories deep', f.max_depth), field('Stay on one file system', f.one_file_system)),
      group('Speed', false,
          field('Streams', f.streams, {hint: 'A number, or auto.'}), field('Compress', f.compress),
          field('Rates by time of day', f.limit_schedule, {wide: true, hint: 'As --limit of fdt copy.'}),
          field('Readers per disk', f.readers), field('Writers per disk', f.writers),
          field('Block, KiB', f.block_size), field('Socket buffer, KiB', f.socket_buffer),
          field('Congestion control', f.congestion)),
      group('What is kept of files', false, ...this.aspects.map(([, input, label]) =>
        field(label[0].toUpperCase() + label.slice(1), input)), field('Symbolic links', f.links)),
      el('div', {class: 'row'}, field('Repeat by a timer', f.repeat)), once, often,
    ];
  }

  /** Puts a task, as the service shows it, into the fields. */
  fill(task) {
    const f = this.fields;
    const options = task.options || {};
    const set = (name, value) => {
      if (value === undefined || value === null) {
        return;
      }
      if (f[name].type === 'checkbox') {
        f[name].checked = value;
      } else {
        f[name].value = value;
      }
    };
    for (const name of ['source_endpoint', 'destination_endpoint', 'destination_path', 'label', 'priority']) {
      set(name, task[name]);
    }
    f.source_paths.value = (task.source_paths || []).join('\n');
    f.source_paths.rows = Math.min(6, Math.max(2, (task.source_paths || []).length));
    set('limit', task.limit ? task.limit / MIB : '');
    for (const [name, value] of Object.entries(options)) {
      if (name in f) {
        set(name, value);
      }
    }
    const rules = options.filters || [];
    f.exclude.value = rules.filter(rule => rule[0] === '-').map(rule => rule.slice(2)).join('\n');
    f.include.value = rules.filter(rule => rule[0] === '+').map(rule => rule.slice(2)).join('\n');
    for (const name of ['min_size', 'max_size']) {
      set(name, options[name] === undefined ? '' : options[name] / MIB);
    }
    for (const name of ['block_size', 'socket_buffer']) {
      set(name, options[name] === undefined ? '' : options[name] / 1024);
    }
    if (options.tune_streams) {
      f.streams.value = 'auto';
    }
    if (options.preserve) {
      for (const [word, input] of this.aspects) {
        input.checked = options.preserve.includes(word);
      }
    }
    this.times = {modified_after: options.modified_after, modified_before: options.modified_before};
  }

  options() {
    const f = this.fields;
    const options = {recursive: true, sync: f.sync.value, checksum: f.checksum.value};
    for (const name of ['update', 'delete', 'verify', 'fsync', 'encrypt', 'one_file_system']) {
      if (f[name].checked) {
        options[name] = true;
      }
    }
    for (const [name, usual] of [['changing', 'fail'], ['links', 'copy'], ['compress', 'off']]) {
      if (f[name].value !== usual) {
        options[name] = f[name].value;
      }
    }
    for (const name of ['backup_dir', 'max_age', 'min_age', 'congestion', 'limit_schedule']) {
      if (f[name].value.trim()) {
        options[name] = f[name].value.trim();
      }
    }
    const counts = [['max_delete', 1], ['max_depth', 1], ['readers', 1], ['writers', 1],
      ['min_size', MIB], ['max_size', MIB], ['block_size', 1024], ['socket_buffer', 1024]];
    for (const [name, factor] of counts) {
      if (f[name].value !== '') {
        options[name] = Math.round(Number(f[name].value) * factor);
      }
    }
    if (f.streams.value.trim() === 'auto') {
      options.tune_streams = true;
    } else if (f.streams.value.trim()) {
      options.streams = Number(f.streams.value);
    }
    // The first pattern that matches decides.
    const filters = [...lines(f.include).map(line => '+ ' + line), ...lines(f.exclude).map(line => '- ' + line)];
    if (filters.length > 0) {
      options.filters = filters;
    }
    const kept = this.aspects.filter(([, input]) => input.checked).map(([word]) => word);
    if (kept.join() !== USUAL_ASPECTS.join()) {
      options.preserve = kept.length === 0 ? ['none'] : kept;
    }
    if (this.times?.modified_after && !options.max_age) {
      options.modified_after = this.times.modified_after;
    }
    if (this.times?.modified_before && !options.min_age) {
      options.modified_before = this.times.modified_before;
    }
    return options;
  }

  task() {
    const f = this.fields;
    return {
      source_endpoint: f.source_endpoint.value,
      source_paths: lines(f.source_paths),
      destination_endpoint: f.destination_endpoint.value,
      destination_path: f.destination_path.value.trim(),
      label: f.label.value.trim(),
      priority: Number(f.priority.value || 0),
      limit: Math.round(Number(f.limit.value || 0) * MIB),
      options: this.options(),
    };
  }

  timer() {
    const f = this.fields;
    const body = {name: f.timer.value, interval: Math.round(Number(f.every.value) * Number(f.unit.value)),
      task: this.task()};
    for (const name of ['start', 'end']) {
      if (f[name].value) {
        body[name] = fromLocal(f[name].value);
      }
    }
    if (f.window.value.trim()) {
      body.window = f.window.value.trim();
    }
    return body;
  }
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
  const sheet = new Sheet(endpoints);
  const parts = sheet.parts(isTimer);
  sheet.fill(task);
  // The same for each try of this sheet: a request whose answer was lost does not start a second task.
  const id = crypto.randomUUID();
  const start = el('button', {class: 'main'}, isTimer ? 'Make the timer' : 'Start');
  sheet.fields.repeat.addEventListener('change', () => {
    start.textContent = sheet.fields.repeat.checked ? 'Make the timer' : 'Start';
  });
  const form = el('form', {}, ...parts,
      el('div', {class: 'row last'}, start, el('button', {type: 'button', click: () => dialog.close()}, 'Back')));
  form.addEventListener('submit', attempt(async () => {
    start.disabled = true;
    try {
      if (sheet.fields.repeat.checked) {
        const timer = await post('timers', sheet.timer());
        dialog.close();
        tell('The timer ' + timer.name + ' was made.');
        if (done) {
          done();
        } else {
          location.hash = '#/timers';
        }
      } else {
        const body = {...sheet.task(), submission_id: id};
        if (sheet.fields.deadline.value) {
          body.deadline = fromLocal(sheet.fields.deadline.value);
        }
        const made = await submit(body);
        dialog.close();
        location.hash = '#/tasks/' + made.task_id;
      }
    } finally {
      start.disabled = false;
    }
  }));
  // A field that is wrong can be in a part that is folded: the browser could not show it.
  form.addEventListener('invalid', event => {
    event.target.closest('details')?.setAttribute('open', '');
  }, true);
  const dialog = openDialog(isTimer ? 'New timer' : 'Transfer', {class: 'sheet'}, null, form);
  return dialog;
}

/** The id was used for what the form said before a change: then it is another task. */
async function submit(body) {
  try {
    return await post('tasks', body);
  } catch (error) {
    if (error.status === 409 && error.message.includes('submission id')) {
      return post('tasks', {...body, submission_id: crypto.randomUUID()});
    }
    throw error;
  }
}

