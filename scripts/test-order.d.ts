import { BaseSequencer } from 'vitest/node';

/** The files that take longest, in this order. */
export const SLOW_TESTS: readonly string[];

/** Puts the files that take longest before the others, which stay in their order. @param pathOf from the root */
export function slowFirst<File>(files: readonly File[], pathOf: (file: File) => string): File[];

/** Sorts as Vitest does, after the files that take longest. */
export default class TestOrder extends BaseSequencer {}
