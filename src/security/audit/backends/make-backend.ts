import type { Dialect } from '../../../foundation/index.js';
import type { AuditBackend, DeliverEvents } from './backend.js';
import { BatchBackend } from './batch-backend.js';
import { BlockingBackend } from './blocking-backend.js';
import type { AuditBackendParts, AuditDelivery } from './delivery.js';
import { TruncatingBackend } from './truncating-backend.js';

/** Creates a backend from what writes its events. */
export function makeBackend(
  deliver: DeliverEvents,
  delivery: AuditDelivery,
  parts: AuditBackendParts & { readonly dialect: Dialect },
): AuditBackend {
  const { mode, truncate } = delivery;
  const inner =
    mode === 'batch'
      ? new BatchBackend(deliver, delivery, parts)
      : new BlockingBackend(deliver, mode === 'blocking-strict', parts);
  return truncate === false ? inner : new TruncatingBackend(inner, truncate, parts.dialect, parts);
}
