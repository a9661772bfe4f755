import { bytesText, type Series } from '../data/traffic.js';

const WIDTH = 240;
const HEIGHT = 48;
/** Length of the plots, in steps: ten minutes. */
const STEPS = 300;
/** Series whose value stays in steps in which nothing happened. */
const STATES = new Set(['memoryBytes', 'watches', 'waiting', 'storageBytes', 'objects']);

/** Series of bytes: their values are shown in KB or MB. */
const BYTES = new Set(['memoryBytes', 'storageBytes']);

/** A line over the last ten minutes, with its newest and greatest value as text. */
export function Plot({
  title,
  series,
  name,
}: {
  readonly title: string;
  readonly series: Series;
  readonly name: string;
}) {
  const values = valuesOf(series, name);
  const most = values.reduce((greatest, value) => Math.max(greatest, value), 0);
  const shown = (value: number): string => (BYTES.has(name) ? bytesText(value) : String(value));
  const [now, peak] = [shown(values.at(-1) ?? 0), shown(most)];
  const points = values.map((value, index) => {
    const x = (index / Math.max(1, values.length - 1)) * WIDTH;
    return `${x.toFixed(1)},${(HEIGHT - (most === 0 ? 0 : (value / most) * HEIGHT)).toFixed(1)}`;
  });
  return (
    <figure>
      <figcaption>
        {title}: {now} <span class="muted">at most {peak}</span>
      </figcaption>
      <svg viewBox={`0 -1 ${WIDTH} ${HEIGHT + 2}`} role="img" aria-label={`${title}: now ${now}, at most ${peak}`}>
        <polyline points={points.join(' ')} />
      </svg>
    </figure>
  );
}

/** Returns the values of the last steps; a count is nothing, and a state as before, in steps in which nothing happened. */
function valuesOf({ names, values, step }: Series, name: string): number[] {
  const index = names.indexOf(name) + 1;
  const newest = values.at(-1)?.[0];
  if (index === 0 || newest === undefined) return [];
  const known = new Map(values.map((point) => [point[0], point[index] ?? 0]));
  const isState = STATES.has(name);
  let before = 0;
  return Array.from({ length: STEPS }, (_, at) => {
    const value = known.get(newest - (STEPS - 1 - at) * step);
    if (isState) before = value ?? before;
    return value ?? before;
  });
}
