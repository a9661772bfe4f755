import { supportsProtobuf, type Negotiated } from '../codec/index.js';
import { isCustom } from '../discovery/index.js';
import { includeObjectOf } from '../responses/response-context.js';
import type { ResourceCall } from './call.js';

/** Verbs on a collection. */
const COLLECTION_VERBS: ReadonlySet<string> = new Set(['list', 'watch']);

/**
 * Negotiates the response format of a resource request. Every verb does this first, so a request without an acceptable
 * format changes nothing.
 *
 * @throws ApiError 406; 400 for a Table with an invalid `includeObject`
 */
export function negotiate({ scope, resource, operations, responder }: ResourceCall): Negotiated {
  const accept = scope.request.headers.get('accept');
  const { schema } = operations.store.info;
  const negotiated = responder.codec.negotiate(accept, {
    watch: scope.info.verb === 'watch',
    protobuf:
      accept?.includes(responder.dialect.protobufMediaType) !== true ||
      (!isCustom(resource) && supportsProtobuf(schema)),
    table: !operations.virtual,
    collection: COLLECTION_VERBS.has(scope.info.verb),
    custom: resource.definition.origin !== 'builtin',
  });
  if (negotiated.transformation?.kind === 'Table') includeObjectOf(scope);
  return negotiated;
}
