interface Step {
  /** The step applies below this number of hours. */
  readonly belowHours: number;
  /** Seconds of the greater unit, and its letter. */
  readonly unit: readonly [seconds: number, letter: string];
  /** Seconds of the smaller unit, and its letter, when two units are shown. */
  readonly rest?: readonly [seconds: number, letter: string] | undefined;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** Longer ages are shown with less precision. */
const STEPS: readonly Step[] = [
  { belowHours: 2 / 60, unit: [1, 's'] },
  { belowHours: 10 / 60, unit: [MINUTE, 'm'], rest: [1, 's'] },
  { belowHours: 3, unit: [MINUTE, 'm'] },
  { belowHours: 8, unit: [HOUR, 'h'], rest: [MINUTE, 'm'] },
  { belowHours: 48, unit: [HOUR, 'h'] },
  { belowHours: 8 * 24, unit: [DAY, 'd'], rest: [HOUR, 'h'] },
  { belowHours: 2 * 365 * 24, unit: [DAY, 'd'] },
  { belowHours: 8 * 365 * 24, unit: [YEAR, 'y'], rest: [DAY, 'd'] },
  { belowHours: Infinity, unit: [YEAR, 'y'] },
];

/**
 * Formats a duration as command-line tools show ages: `45s`, `5m3s`, `3h12m`, `2d5h`, `12d`, `2y34d`.
 *
 * Clocks may differ slightly, so a negative age of less than two seconds is `0s`, a greater one `<invalid>`.
 *
 * @param ms milliseconds
 */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  if (!(seconds >= -1)) return '<invalid>';
  if (seconds < 0) return '0s';
  for (const { belowHours, unit, rest } of STEPS) {
    if (seconds >= belowHours * HOUR) continue;
    const whole = `${Math.floor(seconds / unit[0])}${unit[1]}`;
    const remainder = rest === undefined ? 0 : Math.floor((seconds % unit[0]) / rest[0]);
    return rest === undefined || remainder === 0 ? whole : `${whole}${remainder}${rest[1]}`;
  }
  return '<invalid>';
}
