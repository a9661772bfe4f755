import type { Reference } from '../../references.js';
import { isBuiltIn, type PageKind } from './kinds.js';

/** Returns the kind of a reference; undefined if the server does not list it. @param suffix see `Api.suffix` */
export const kindOf = ({ kind, group }: Reference, kinds: readonly PageKind[], suffix: string): PageKind | undefined =>
  kinds.find((each) => each.kind === kind && (group === undefined ? isBuiltIn(each, suffix) : each.group === group));
