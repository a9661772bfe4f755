/**
 * Decides which type is assignable to another, and binds the type parameters of declarations: the unification of
 * cel-spec's "Gradual Type Checking".
 *
 * @module
 */
import { dynType, isDynamic, partsOf, type CelType } from './types.js';

/** The types of type parameters, by parameter name. A failed attempt is undone, so that an attempt costs what it binds. */
export class Substitution {
  readonly #bound: Map<string, CelType>;
  /** The parameters that the current attempt has bound, with what they were bound to before. */
  readonly #trail: { readonly name: string; readonly before: CelType | undefined }[] = [];

  constructor(bound: ReadonlyMap<string, CelType> = new Map()) {
    this.#bound = new Map(bound);
  }

  find(name: string): CelType | undefined {
    return this.#bound.get(name);
  }

  bind(name: string, type: CelType): void {
    this.#trail.push({ name, before: this.#bound.get(name) });
    this.#bound.set(name, type);
  }

  /** Keeps what the attempt has bound when it succeeded, else undoes it. Returns its result. */
  attempt(bindAll: () => boolean): boolean {
    const succeeded = bindAll();
    while (!succeeded && this.#trail.length > 0) this.#undo();
    this.#trail.length = 0;
    return succeeded;
  }

  #undo(): void {
    const last = this.#trail.pop();
    if (last === undefined) return;
    if (last.before === undefined) this.#bound.delete(last.name);
    else this.#bound.set(last.name, last.before);
  }

  /** Returns the type with its parameters replaced. Free parameters stay, or become `dyn`. */
  apply(type: CelType, freeIsDyn: boolean): CelType {
    if (type.kind === 'parameter') {
      const bound = this.find(type.name);
      if (bound !== undefined) return this.apply(bound, freeIsDyn);
      return freeIsDyn ? dynType : type;
    }
    if (!('parameters' in type)) return type;
    const parameters = type.parameters.map((part) => this.apply(part, freeIsDyn));
    // A type without parameters to replace stays the same object: equal types are then often found by identity.
    return parameters.every((part, index) => part === type.parameters[index]) ? type : { kind: type.kind, parameters };
  }
}

/** Binds parameters so that values of the types `from` are assignable to the types `to`. @returns false if none do */
export function assign(substitution: Substitution, from: readonly CelType[], to: readonly CelType[]): boolean {
  return substitution.attempt(() => allAssignable(substitution, from, to));
}

function allAssignable(substitution: Substitution, from: readonly CelType[], to: readonly CelType[]): boolean {
  return (
    from.length === to.length && from.every((type, index) => isAssignable(substitution, type, to[index] ?? dynType))
  );
}

function isAssignable(substitution: Substitution, from: CelType, to: CelType): boolean {
  if (sameType(from, to)) return true;
  if (to.kind === 'parameter') {
    const fits = fitsParameter(substitution, from, to.name);
    if (fits !== 'unbound') return fits;
  }
  if (from.kind === 'parameter') return fitsParameter(substitution, to, from.name) === true;
  if (isDynamic(from) || isDynamic(to) || from.kind === 'error' || to.kind === 'error') return true;
  if (from.kind === 'null') return isNullable(to);
  if (to.kind === 'null') return isNullable(from);
  if (from.kind !== to.kind) return false;
  if (from.kind === 'object' || from.kind === 'opaque') return sameType(from, to);
  // All types of types are assignable to each other.
  return from.kind === 'type' || allAssignable(substitution, partsOf(from), partsOf(to));
}

/**
 * Returns true for the types that protobuf messages represent in Kubernetes. Null is not assignable to plain values,
 * lists or maps.
 */
function isNullable(type: CelType): boolean {
  return (
    type.kind === 'null' ||
    type.kind === 'object' ||
    type.kind === 'opaque' ||
    type.kind === 'timestamp' ||
    type.kind === 'duration' ||
    type.kind === 'optional'
  );
}

/**
 * Returns whether the parameter can be the type; `unbound` when the type contains the parameter itself, which has no
 * binding.
 */
function fitsParameter(substitution: Substitution, type: CelType, name: string): boolean | 'unbound' {
  const bound = substitution.find(name);
  if (bound !== undefined) {
    if (sameType(type, bound)) return true;
    if (!isAssignable(substitution, type, bound)) return false;
    substitution.bind(name, mostGeneral(type, bound));
    return true;
  }
  if (occursIn(substitution, name, type)) return 'unbound';
  substitution.bind(name, type);
  return true;
}

/** Returns true when the parameter is part of the type: a type cannot contain itself. */
function occursIn(substitution: Substitution, name: string, type: CelType): boolean {
  if (type.kind === 'parameter') {
    if (type.name === name) return true;
    const bound = substitution.find(type.name);
    return bound !== undefined && occursIn(substitution, name, bound);
  }
  return partsOf(type).some((part) => occursIn(substitution, name, part));
}

/** Returns the more general of two types, one of which is assignable to the other. */
export function mostGeneral(a: CelType, b: CelType): CelType {
  return isEqualOrLessSpecific(a, b) ? a : b;
}

function isEqualOrLessSpecific(a: CelType, b: CelType): boolean {
  if (isDynamic(a) || a.kind === 'parameter') return true;
  if (isDynamic(b) || b.kind === 'parameter') return false;
  if (a.kind !== b.kind) return false;
  if (a.kind === 'type') return true;
  if (a.kind === 'object' || a.kind === 'opaque') return sameType(a, b);
  const others = partsOf(b);
  return partsOf(a).every((part, index) => isEqualOrLessSpecific(part, others[index] ?? dynType));
}

/** Returns true when two types are equal in every part. */
export function sameType(a: CelType, b: CelType): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind) return false;
  if (a.kind === 'object') return b.kind === 'object' && a.name === b.name;
  if (a.kind === 'opaque') return b.kind === 'opaque' && a.name === b.name;
  if (a.kind === 'parameter') return b.kind === 'parameter' && a.name === b.name;
  const parts = partsOf(a);
  const others = partsOf(b);
  return parts.length === others.length && parts.every((part, index) => sameType(part, others[index] ?? dynType));
}
