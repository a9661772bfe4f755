import { useEffect, useRef } from 'preact/hooks';
import type { Tab } from '../data/address.js';
import { isTyping } from '../parts/keys.js';

/** The keys that open a part of the object of a row. Those of the object's own view are the same. */
const TAB_KEYS: ReadonlyMap<string, Tab> = new Map([
  ['y', 'yaml'],
  ['e', 'edit'],
  ['f', 'form'],
  ['h', 'history'],
  ['o', 'related'],
]);

/** The keys of a table, wherever the focus is but in a field. */
export function useGridKeys(keys: {
  readonly at: number;
  readonly count: number;
  readonly select: (index: number) => void;
  readonly open: (tab: Tab) => void;
  readonly copy: () => void;
  readonly pick: () => void;
  readonly pickAll: () => void;
  /** Ends the use of rows. @returns false when none is used */
  readonly leave: () => boolean;
}): void {
  const current = useRef(keys);
  current.current = keys;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const [target] = event.composedPath();
      if (isTyping(event)) return;
      const { at, count, select, open, copy, pick, pickAll, leave } = current.current;
      const isControl = target instanceof HTMLElement && target.matches('button, a, input');
      const moves = new Map([
        ['j', at + 1],
        ['ArrowDown', at + 1],
        ['k', at - 1],
        ['ArrowUp', at - 1],
        ['g', 0],
        ['Home', 0],
        ['G', count - 1],
        ['End', count - 1],
      ]);
      const to = moves.get(event.key);
      const tab = TAB_KEYS.get(event.key);
      if (to !== undefined) select(to);
      else if (tab !== undefined && at >= 0) open(tab);
      else if (event.key === 'c' && at >= 0) copy();
      else if ((event.key === 'x' || (event.key === ' ' && !isControl)) && at >= 0) pick();
      else if (event.key === 'X') pickAll();
      else if (event.key === 'Enter' && !isControl) open('yaml');
      else if (event.key !== 'Escape' || !leave()) return;
      event.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}
