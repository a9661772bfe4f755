import type * as z from 'zod';
import type { ObjectMeta } from '../../foundation/index.js';

/** The fields that every object has. Hooks that work on any kind see this type. */
export type NamedObject = { apiVersion: string; kind: string; metadata: ObjectMeta };

/**
 * The fields of a schema. Zod types a schema without fields as a map without values, which no object with metadata
 * satisfies.
 */
type SchemaFields<Type> = string extends keyof Type ? (Type[keyof Type] extends never ? unknown : Type) : Type;

/** The objects of a kind with this schema, as the server stores and returns them. */
export type ObjectOfSchema<Schema extends z.ZodType> = NamedObject & SchemaFields<z.output<Schema>>;

/** The input that creates an object of a kind with this schema. */
export type InputOfSchema<Schema extends z.ZodType> = {
  apiVersion?: string | undefined;
  kind?: string | undefined;
} & Pick<NamedObject, 'metadata'> &
  SchemaFields<z.input<Schema>>;

/**
 * An object before validation, as mutating hooks see it: every field may be missing. A value may also have a wrong
 * type. Validation refuses it afterwards; an error that a hook throws because of such a value is not reported.
 */
export type Unvalidated<Item> = NamedObject & {
  [Field in Exclude<keyof Item, keyof NamedObject>]?: Incomplete<Item[Field]> | undefined;
};

/** A value before validation: every field of every object in it may be missing. */
export type Incomplete<Value> = Value extends string | number | boolean | bigint | null | undefined
  ? Value
  : Value extends (infer Element)[]
    ? Incomplete<Element>[]
    : Value extends readonly (infer Element)[]
      ? readonly Incomplete<Element>[]
      : Value extends object
        ? { [Field in keyof Value]?: Incomplete<Value[Field]> | undefined }
        : Value;

/** A type without `readonly`, which does not affect values. */
type Plain<Value> = Value extends string | number | boolean | bigint | null | undefined
  ? Value
  : Value extends readonly (infer Element)[]
    ? Plain<Element>[]
    : Value extends object
      ? { -readonly [Field in keyof Value]: Plain<Value[Field]> }
      : Value;

/**
 * Refuses at compile time, at `schema`, a schema whose output type differs from its input type. Objects are stored as
 * the client sent them, so they would not have the declared type.
 */
export type SameInputAndOutput<Schema extends z.ZodType> =
  Plain<z.output<Schema>> extends Plain<z.input<Schema>>
    ? unknown
    : {
        readonly schema: 'a transform in this schema changes the type of a value; an object is stored as the client sent it';
      };
