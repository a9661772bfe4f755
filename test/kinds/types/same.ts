/**
 * Comparison of types with those of the generated client, at compile time.
 *
 * The client decodes times into dates, and leaves out that a value may be null; its types of free objects are `any` or
 * `object`. It is of a later release, which has more optional fields.
 *
 * @module
 */

import type { JsonValue } from '../../../src/foundation/json/json.js';

type IsAny<Value> = 0 extends 1 & Value ? true : false;

/** A type in the form that both sides share. */
type Shared<Value> =
  IsAny<Value> extends true ? unknown : [NonNullable<JsonValue>] extends [Value] ? unknown : SharedValue<Value>;

export type SharedValue<Value> = Value extends Date
  ? string
  : Value extends readonly (infer Item)[]
    ? Shared<Item>[]
    : Value extends object
      ? string extends keyof Value
        ? { [Key in keyof Value]: Shared<NonNullable<Value[Key]>> }
        : keyof Value extends never
          ? unknown
          : { [Key in keyof Value]: Shared<NonNullable<Value[Key]>> }
      : Value;

/** True when each type can be assigned to the other; otherwise the reason. */
export type Same<Ours, Theirs> =
  Shared<Ours> extends Shared<Theirs>
    ? Shared<Theirs> extends Shared<Ours>
      ? true
      : { readonly cannotAssignTo: Shared<Ours>; readonly from: Shared<Theirs> }
    : { readonly cannotAssignTo: Shared<Theirs>; readonly from: Shared<Ours> };

/** A kind of the client with the metadata that ours require: an object without them is neither created nor read. */
export type Named<Theirs> = Theirs extends { metadata?: infer Metadata }
  ? Omit<Theirs, 'metadata'> & { metadata: NonNullable<Metadata> }
  : Theirs;

/** True when a value of our type can be given to the client: for types that the client declares less strictly. */
export type Fits<Ours, Theirs> =
  Shared<Ours> extends Shared<Theirs> ? true : { readonly cannotAssignTo: Shared<Theirs>; readonly from: Shared<Ours> };

/** Fails to compile unless its argument is true. */
export type Expect<Answer extends true> = Answer;
