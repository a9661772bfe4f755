import type { Informer } from '../runtime/informer.js';
import type { HeldKeys } from './held-keys.js';
import type { SliceObject } from './objects.js';
import type { SliceWriter } from './slice-writer.js';
import { serviceKeyOf, type SliceNames } from './slices.js';

/** Options of {@link watchSlices}. */
export interface SliceWatch {
  readonly slices: Informer<SliceObject>;
  readonly writer: SliceWriter;
  readonly held: HeldKeys;
  readonly names: SliceNames;
  /** Name of the controller, whose slices are watched. */
  readonly manager: string;
  /** Called with the key of each service whose slices another client has changed or removed. */
  readonly changed: (key: string) => void;
}

/** Reports slices of a controller that others change, and continues what waited for its own writes. */
export function watchSlices({ slices, writer, held, names, manager, changed }: SliceWatch): void {
  const keyOf = (slice: SliceObject): string | undefined => serviceKeyOf(slice, names, manager);
  slices.subscribe({
    added(slice) {
      const key = keyOf(slice);
      if (key !== undefined) held.delivered(key);
    },
    updated(slice, old) {
      // A changed label may take a slice from one service and give it to another one.
      for (const key of new Set([keyOf(slice), keyOf(old)])) {
        if (key === undefined) continue;
        held.delivered(key);
        if (!writer.isOwn(slice)) changed(key);
      }
    },
    deleted(slice) {
      writer.forget(slice);
      const key = keyOf(slice);
      if (key !== undefined) changed(key);
    },
  });
}
