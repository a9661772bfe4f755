import type * as z from 'zod';
import type { ObjectMeta } from '../meta/object.js';

/** What every object has, whatever its kind: as much of it as a hook sees that is written for kinds in general. */
export type NamedObject = { apiVersion: string; kind: string; metadata: ObjectMeta };

/** The fields of a schema. A schema without any is to zod a map without values, which an object with metadata is not. */
type Fields<Type> = string extends keyof Type ? (Type[keyof Type] extends never ? unknown : Type) : Type;

/** The objects of a kind with this schema, as the server keeps and returns them. */
export type ObjectOfSchema<Schema extends z.ZodType> = NamedObject & Fields<z.output<Schema>>;

/** What a caller writes to create an object of a kind with this schema. */
export type InputOfSchema<Schema extends z.ZodType> = Partial<Pick<NamedObject, 'apiVersion' | 'kind'>> &
  Pick<NamedObject, 'metadata'> &
  Fields<z.input<Schema>>;

/**
 * An object before it is validated, as the hooks that may change it see it: every field may be missing. A value may also be
 * of a wrong type, which is refused afterwards; what such a value makes a hook throw is not reported.
 */
export type Unvalidated<Item> = NamedObject & {
  [Field in Exclude<keyof Item, keyof NamedObject>]?: Incomplete<Item[Field]> | undefined;
};

type Scalar = string | number | boolean | bigint | null | undefined;

type Incomplete<Value> = Value extends Scalar
  ? Value
  : Value extends readonly (infer Element)[]
    ? Incomplete<Element>[]
    : Value extends object
      ? { [Field in keyof Value]?: Incomplete<Value[Field]> | undefined }
      : Value;

/** A type whose values may be changed; wrappers such as `readonly` change no value. */
type Plain<Value> = Value extends Scalar
  ? Value
  : Value extends readonly (infer Element)[]
    ? Plain<Element>[]
    : Value extends object
      ? { -readonly [Field in keyof Value]: Plain<Value[Field]> }
      : Value;

/**
 * Refuses, as a compile error at `schema`, a schema that makes another type of what a client sends: what is stored is what
 * the client sent, so that objects would not be of the type that they are said to be.
 */
export type TypeKept<Schema extends z.ZodType> =
  Plain<z.output<Schema>> extends Plain<z.input<Schema>>
    ? unknown
    : {
        readonly schema: 'a transform in this schema changes the type of a value; an object is stored as the client sent it';
      };
