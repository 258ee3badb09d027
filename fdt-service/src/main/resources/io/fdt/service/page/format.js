// Sizes and times as text.

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];

/** Three digits and a unit, as the command prints. */
export function bytes(count) {
  let unit = 0;
  let value = count;
  while (value >= 1023.5 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  const decimals = unit === 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return value.toFixed(decimals) + ' ' + UNITS[unit];
}

const two = number => String(number).padStart(2, '0');

/** The local date and time to the minute, in the same width each. */
export function shortTime(iso) {
  if (!iso) {
    return '';
  }
  const date = new Date(iso);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** The same to the second. */
export const time = iso => iso ? shortTime(iso) + ':' + two(new Date(iso).getSeconds()) : '';

/** When something happens: below a minute, in how many seconds. */
export function until(iso) {
  const seconds = iso ? Math.ceil((new Date(iso) - Date.now()) / 1000) : Infinity;
  return seconds >= 60 ? shortTime(iso) : seconds > 0 ? `in ${seconds} s` : 'now';
}

/** A rate as the command takes it: in the largest unit of which it is a multiple. */
export function rateWord(bytesPerSecond) {
  let value = Math.max(1, Math.round(bytesPerSecond / 1024));
  let unit = 0;
  while (value % 1024 === 0 && unit < 2) {
    value /= 1024;
    unit++;
  }
  return value + 'KMG'[unit];
}

export function duration(seconds) {
  for (const [unit, length] of [['day', 86400], ['hour', 3600], ['minute', 60]]) {
    if (seconds >= length && seconds % length === 0) {
      const count = seconds / length;
      return count === 1 ? unit : `${count} ${unit}s`;
    }
  }
  return seconds === 1 ? 'second' : seconds + ' seconds';
}

/** The time that remains, roughly. */
export function remaining(seconds) {
  if (seconds < 90) {
    return Math.round(seconds) + ' s';
  }
  return seconds < 5400 ? Math.round(seconds / 60) + ' min'
    : seconds < 172800 ? (seconds / 3600).toFixed(1) + ' h' : Math.round(seconds / 86400) + ' days';
}

/** The local time of day, to the second, of seconds since 1970. */
export const clock = seconds => time(seconds * 1000).slice(11);

/** A length of time, to the second. */
export function span(seconds) {
  if (seconds < 1) {
    return 'under 1 s';
  }
  const whole = Math.round(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return hours >= 48 ? `${Math.floor(hours / 24)} days ${hours % 24} h`
    : hours > 0 ? `${hours} h ${minutes} min` : minutes > 0 ? `${minutes} min ${rest} s` : rest + ' s';
}

/** A number and its noun. */
export const count = (number, one, many = one + 's') => `${number.toLocaleString()} ${number === 1 ? one : many}`;

/** An instant for a field of type datetime-local, and back. */
export function toLocal(iso) {
  const date = new Date(iso);
  return new Date(date - date.getTimezoneOffset() * 60000).toISOString().slice(0, 16);
}

export function fromLocal(value) {
  return new Date(value).toISOString();
}
