import { inSpan, ownMember, type SpanAttributes, type TraceSpan } from '../../foundation/index.js';
import type { ApiResponse } from '../requests/http.js';
import type { RequestScope } from '../requests/request-scope.js';
import type { ResponseContext } from '../responses/response-context.js';

/** Steps of the verbs, by Kubernetes' names. A watch has none: its request lasts as long as itself. */
const NAMES: Readonly<Record<string, string>> = {
  get: 'Get',
  list: 'List',
  create: 'Create',
  update: 'Update',
  patch: 'Patch',
  delete: 'Delete',
  deletecollection: 'Delete',
};

/** Runs the endpoint of a resource as a step; its own steps belong to it. */
export function asHandler(
  scope: RequestScope,
  run: (span: TraceSpan | undefined) => ApiResponse | Promise<ApiResponse>,
): ApiResponse | Promise<ApiResponse> {
  const { span: request } = scope;
  const name = request === undefined ? undefined : ownMember(NAMES, scope.info.verb);
  return request === undefined || name === undefined ? run(request) : asStep(request, name, scope, run);
}

async function asStep(
  request: TraceSpan,
  name: string,
  scope: RequestScope,
  run: (span: TraceSpan | undefined) => ApiResponse | Promise<ApiResponse>,
): Promise<ApiResponse> {
  try {
    return await inSpan(
      request,
      name,
      () => handlerAttributes(scope),
      async (span) => {
        scope.span = span;
        return run(span);
      },
    );
  } finally {
    scope.span = request;
  }
}

function handlerAttributes(scope: RequestScope): SpanAttributes {
  const { info, request, auditId, userAgent } = scope;
  return {
    'audit-id': auditId,
    client: request.peer.address ?? '',
    'api-group': info.group,
    'api-version': info.version,
    name: info.name,
    subresource: info.subresource,
    namespace: info.namespace,
    resource: info.resource,
    scope: info.name !== '' ? 'resource' : info.namespace !== '' ? 'namespace' : 'cluster',
    url: request.path,
    'user-agent': userAgent,
    verb: request.method,
  };
}

/** Encodes a response as a step. */
export function asSerialization(
  { scope, negotiated }: ResponseContext,
  encode: () => ApiResponse | Promise<ApiResponse>,
): ApiResponse | Promise<ApiResponse> {
  const { span, auditId, request } = scope;
  if (span === undefined) return encode();
  return inSpan(
    span,
    'SerializeObject',
    () => ({
      'audit-id': auditId,
      method: request.method,
      url: request.path,
      mediaType: negotiated.contentType,
    }),
    async () => encode(),
  );
}
