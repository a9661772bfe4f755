/**
 * The maximum sizes of the group of dynamic resources in release 1.31.
 *
 * @module
 */
import { FieldError } from '../../../foundation/index.js';

/** Requests, constraints, configurations, selectors, results and consumers, each. */
export const MAX_ITEMS = 32;
/** Devices of a slice. */
export const MAX_DEVICES = 128;
/** Attributes and capacities of a device, together. */
export const MAX_ATTRIBUTES = 32;
/** Nodes of a scheduling context. */
export const MAX_NODES = 128;
/** Length of the value of an attribute, in bytes. */
export const MAX_VALUE_BYTES = 64;
/** Length of the name of an attribute without its domain, in bytes. */
export const MAX_IDENTIFIER_BYTES = 32;

/** Returns the error of a list or text that is too long. The kinds of this group have words of their own for it. */
export const longerThan = (path: string, max: number): FieldError =>
  new FieldError('TooLong', path, '', `may not be longer than ${max}`);
