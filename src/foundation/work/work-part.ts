import type { Work } from './work.js';

/** A part of the work of a request, whose memory is released before the request is answered. */
export interface WorkPart extends Work {
  /** Releases all memory of the part. */
  end(): void;
}

/** Begins a part of the work of a request. */
export function partOf(work: Work): WorkPart {
  let heldBytes = 0;
  const release = (bytes: number): void => {
    const released = Math.min(bytes, heldBytes);
    heldBytes -= released;
    work.release(released);
  };
  return {
    get isLarge() {
      return work.isLarge === true;
    },
    set isLarge(isLarge) {
      work.isLarge = isLarge;
    },
    spend: (units) => work.spend(units),
    next: (area) => work.next(area),
    measure: (step) => work.measure(step),
    reserve: (bytes) => {
      work.reserve(bytes);
      heldBytes += bytes;
    },
    release,
    end: () => release(heldBytes),
  };
}
