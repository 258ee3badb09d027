// Sizes and times as text.

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

export function bytes(count) {
  let unit = 0;
  let value = count;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return (unit === 0 ? value : value.toFixed(1)) + ' ' + UNITS[unit];
}

// Made once: making one takes longer than a row of a list may.
const TIME = new Intl.DateTimeFormat([], {year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric',
  minute: 'numeric', second: 'numeric'});
const SHORT_TIME = new Intl.DateTimeFormat([], {dateStyle: 'short', timeStyle: 'short'});

export const time = iso => iso ? TIME.format(new Date(iso)) : '';

/** The same to the minute, for columns. */
export const shortTime = iso => iso ? SHORT_TIME.format(new Date(iso)) : '';

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

/** An instant for a field of type datetime-local, and back. */
export function toLocal(iso) {
  const date = new Date(iso);
  return new Date(date - date.getTimezoneOffset() * 60000).toISOString().slice(0, 16);
}

export function fromLocal(value) {
  return new Date(value).toISOString();
}
