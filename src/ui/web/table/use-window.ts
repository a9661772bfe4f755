import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualItem,
} from '@tanstack/virtual-core';
import type { RefObject } from 'preact';
import { useLayoutEffect, useMemo, useState } from 'preact/hooks';

/** The rows that can be seen of many. */
export interface RowWindow {
  readonly items: readonly VirtualItem[];
  readonly height: number;
  /** Scrolls to a row, if it cannot be seen. */
  readonly show: (index: number) => void;
}

/** Rows drawn above and below those that can be seen. */
const OVERSCAN = 8;

/** Returns the rows of a list that can be seen in an element. */
export function useWindow(place: RefObject<HTMLElement | null>, count: number, rowHeight: number): RowWindow {
  const [, draw] = useState(0);
  const options = {
    count,
    overscan: OVERSCAN,
    getScrollElement: () => place.current,
    estimateSize: () => rowHeight,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => draw((drawn) => drawn + 1),
    // The head of the table is above the rows, and stays in sight.
    scrollMargin: 0,
    scrollPaddingStart: rowHeight,
  };
  const virtualizer = useMemo(() => new Virtualizer<HTMLElement, HTMLElement>(options), []);
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => virtualizer._willUpdate());
  // Rows become cards, and rows again, when the screen is turned.
  useLayoutEffect(() => virtualizer.measure(), [rowHeight]);
  return {
    items: virtualizer.getVirtualItems(),
    height: virtualizer.getTotalSize(),
    show: (index) => virtualizer.scrollToIndex(index),
  };
}
