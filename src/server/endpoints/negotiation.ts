import { supportsProtobuf, type Negotiated } from '../../codec/index.js';
import { includeObjectOf } from '../respond.js';
import type { ResourceCall } from './call.js';

/** Verbs of a collection that may be answered with a stream. */
const COLLECTION_VERBS: ReadonlySet<string> = new Set(['list', 'watch']);

/**
 * Chooses the form of the answer to a request on a resource. Every verb does this before all else: a request that cannot be
 * answered changes nothing.
 *
 * @throws ApiError 406; 400 for a Table whose rows cannot be as the query says
 */
export function negotiate({ scope, operations, responder }: ResourceCall): Negotiated {
  const accept = scope.request.headers.get('accept');
  const { definition, schema } = operations.store.info;
  const negotiated = responder.codec.negotiate(accept, {
    watch: scope.info.verb === 'watch',
    protobuf: accept?.includes(responder.dialect.protobufMediaType) !== true || supportsProtobuf(schema),
    table: !operations.virtual,
    collection: COLLECTION_VERBS.has(scope.info.verb),
    custom: definition.origin !== 'builtin',
  });
  if (negotiated.transformation?.kind === 'Table') includeObjectOf(scope);
  return negotiated;
}
