/**
 * One call of a function that converts: in the process of the server, or served for another one.
 *
 * @module
 */
import {
  isArray,
  jsonText,
  jsonValue,
  within,
  type Clock,
  type JsonObject,
  type JsonValue,
} from '../../foundation/index.js';
import { unmarshalText } from './returned-review.js';

/**
 * Converts objects of a custom kind, in order, in place of the HTTP call of its conversion webhook.
 *
 * @param objects objects of other versions; copies that may be changed
 * @returns the converted objects. Their metadata must stay the same, except for labels and annotations
 */
export type ConversionFunction = (
  objects: JsonObject[],
  desiredApiVersion: string,
) => readonly JsonObject[] | Promise<readonly JsonObject[]>;

/** Maximum time of a call of a function, in milliseconds: that of a conversion webhook. */
export const FUNCTION_TIMEOUT_MS = 30_000;

/** The limits of a call of a function. */
export interface ConversionCall {
  readonly clock: Clock;
  readonly timeoutMs: number;
}

/**
 * Calls a function, and returns what it answers as JSON, unchecked.
 *
 * @param objects copies, which the function may change
 * @throws Error when the function throws, is late, or does not answer a list
 */
export async function callConversion(
  convert: ConversionFunction,
  objects: JsonObject[],
  desiredApiVersion: string,
  { clock, timeoutMs }: ConversionCall,
): Promise<readonly JsonValue[]> {
  const converted: unknown = await within(
    clock,
    timeoutMs,
    () => convert(objects, desiredApiVersion),
    () => new Error('context deadline exceeded'),
  );
  const copy = jsonValue(jsonText(converted ?? []));
  if (isArray(copy)) return copy;
  throw new Error(unmarshalText(copy, 'ConversionResponse.response.convertedObjects', '[]runtime.RawExtension'));
}
