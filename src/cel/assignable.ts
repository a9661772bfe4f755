/**
 * Which type may stand where another one is asked for, and what the type parameters of a declaration are bound to on the
 * way: the unification of cel-spec's "Gradual Type Checking".
 *
 * @module
 */
import { dynType, isDynamic, partsOf, type CelType } from './types.js';

/** What type parameters stand for, by their names. */
export class Substitution {
  readonly #bound: Map<string, CelType>;

  constructor(bound: ReadonlyMap<string, CelType> = new Map()) {
    this.#bound = new Map(bound);
  }

  /** A copy that may be changed without changing this one: an attempt that fails leaves nothing behind. */
  copy(): Substitution {
    return new Substitution(this.#bound);
  }

  find(type: CelType): CelType | undefined {
    return type.kind === 'parameter' ? this.#bound.get(type.name) : undefined;
  }

  bind(name: string, type: CelType): void {
    this.#bound.set(name, type);
  }

  /** The type with its parameters replaced. Free ones stay, or become `dyn`. */
  apply(type: CelType, freeIsDyn: boolean): CelType {
    const bound = this.find(type);
    if (bound !== undefined) return this.apply(bound, freeIsDyn);
    if (type.kind === 'parameter') return freeIsDyn ? dynType : type;
    return 'parameters' in type
      ? { kind: type.kind, parameters: type.parameters.map((part) => this.apply(part, freeIsDyn)) }
      : type;
  }
}

/**
 * Whether a value of type `from` may stand where `to` is asked for.
 *
 * @returns the bindings that make it so, or undefined when nothing does
 */
export function assign(
  substitution: Substitution,
  from: readonly CelType[],
  to: readonly CelType[],
): Substitution | undefined {
  const attempt = substitution.copy();
  return allAssignable(attempt, from, to) ? attempt : undefined;
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
  if (from.kind !== to.kind) return false;
  if (from.kind === 'object') return to.kind === 'object' && from.name === to.name;
  // A type is a type; of what it is the type decides nothing.
  return from.kind === 'type' || allAssignable(substitution, partsOf(from), partsOf(to));
}

/** Null may stand for what production keeps in messages, never for a plain value, a list or a map. */
function isNullable(type: CelType): boolean {
  return (
    type.kind === 'null' ||
    type.kind === 'object' ||
    type.kind === 'timestamp' ||
    type.kind === 'duration' ||
    type.kind === 'optional'
  );
}

/** Whether the parameter can stand for the type; `unbound` when it cannot be bound to it but is bound to nothing else. */
function fitsParameter(substitution: Substitution, type: CelType, name: string): boolean | 'unbound' {
  const bound = substitution.find({ kind: 'parameter', name });
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

/** Whether the parameter is part of the type: a type cannot be made of itself. */
function occursIn(substitution: Substitution, name: string, type: CelType): boolean {
  if (type.kind === 'parameter') {
    if (type.name === name) return true;
    const bound = substitution.find(type);
    return bound !== undefined && occursIn(substitution, name, bound);
  }
  return partsOf(type).some((part) => occursIn(substitution, name, part));
}

/** The more general of two types of which one may stand for the other. */
export function mostGeneral(a: CelType, b: CelType): CelType {
  return isEqualOrLessSpecific(a, b) ? a : b;
}

function isEqualOrLessSpecific(a: CelType, b: CelType): boolean {
  if (isDynamic(a) || a.kind === 'parameter') return true;
  if (isDynamic(b) || b.kind === 'parameter') return false;
  if (a.kind !== b.kind) return false;
  if (a.kind === 'type') return true;
  if (a.kind === 'object') return sameType(a, b);
  const others = partsOf(b);
  return partsOf(a).every((part, index) => isEqualOrLessSpecific(part, others[index] ?? dynType));
}

/** Whether two types are the same in every part. */
export function sameType(a: CelType, b: CelType): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind) return false;
  if (a.kind === 'object') return b.kind === 'object' && a.name === b.name;
  if (a.kind === 'parameter') return b.kind === 'parameter' && a.name === b.name;
  const parts = partsOf(a);
  const others = partsOf(b);
  return parts.length === others.length && parts.every((part, index) => sameType(part, others[index] ?? dynType));
}
