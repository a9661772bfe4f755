import { EndpointSlice } from '../../kinds/index.js';
import { watched, type Watched } from '../runtime/watch.js';
import type { HeldKeys } from './held-keys.js';
import type { SliceObject } from './objects.js';
import type { SliceWriter } from './slice-writer.js';
import { serviceKeyOf, type SliceNames } from './slices.js';

/** Options of {@link sliceChanges}. */
export interface SliceWatch {
  readonly writer: SliceWriter;
  readonly held: HeldKeys;
  readonly names: SliceNames;
  /** Name of the controller, whose slices are watched. */
  readonly manager: string;
}

/**
 * Returns the watch that runs the services whose slices another client changes or removes, and those that wait for the
 * controller's own writes.
 */
export function sliceChanges({ writer, held, names, manager }: SliceWatch): Watched {
  const keyOf = (slice: SliceObject): string | undefined => serviceKeyOf(slice, names, manager);
  return watched(EndpointSlice, {
    changes: {
      added(slice) {
        const key = keyOf(slice);
        return key === undefined ? [] : held.delivered(key);
      },
      updated(slice, old) {
        // A changed label may take a slice from one service and give it to another one.
        const keys = [...new Set([keyOf(slice), keyOf(old)])].filter((key) => key !== undefined);
        const delivered = keys.flatMap((key) => held.delivered(key));
        return writer.isOwn(slice) ? delivered : keys;
      },
      deleted(slice) {
        writer.forget(slice);
        const key = keyOf(slice);
        return key === undefined ? [] : [key];
      },
    },
  });
}
