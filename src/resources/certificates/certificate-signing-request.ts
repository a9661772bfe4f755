import { humanDuration } from '../../meta/human-duration.js';
import type { StoredObject } from '../../meta/object.js';
import { systemGroup } from '../../names/dialect.js';
import { defineResource } from '../../registry/definition.js';
import { ageColumn, nameColumn, NONE, textColumn } from '../shared/columns.js';
import { APPROVED, DENIED, FAILED, hasCondition } from './conditions.js';
import { requestSchema, type CertificateSigningRequestFields } from './request-schema.js';
import { approvalStrategy, mainStrategy, statusStrategy } from './request-strategy.js';

// Stored objects of the kind have its fields.
const requestOf = (object: StoredObject): CertificateSigningRequestFields =>
  object as StoredObject & CertificateSigningRequestFields;

function durationCell(object: StoredObject): string {
  const { expirationSeconds } = requestOf(object).spec;
  return expirationSeconds === undefined ? NONE : humanDuration(expirationSeconds * 1000);
}

/** Returns the decisions, separated by commas. */
function conditionCell(object: StoredObject): string {
  const { conditions = [], certificate = '' } = requestOf(object).status;
  const has = (type: string): boolean => hasCondition(conditions, type);
  const words = [
    has(DENIED) ? DENIED : has(APPROVED) ? APPROVED : 'Pending',
    ...(has(FAILED) ? [FAILED] : []),
    ...(certificate === '' ? [] : ['Issued']),
  ];
  return words.join(',');
}

/** Requests a certificate from a signer (identity-resources.md, "CertificateSigningRequest"). */
export const CertificateSigningRequest = defineResource({
  group: systemGroup('certificates'),
  version: 'v1',
  kind: 'CertificateSigningRequest',
  plural: 'certificatesigningrequests',
  shortNames: ['csr'],
  scope: 'Cluster',
  origin: 'builtin',
  lifecycle: { introduced: '1.19' },
  description: 'Requests a certificate from a signer, which issues it once the request is approved.',
  schema: requestSchema,
  strategy: mainStrategy,
  subresources: {
    approval: { verbs: ['get', 'patch', 'update'], strategy: approvalStrategy },
    status: { verbs: ['get', 'patch', 'update'], strategy: statusStrategy },
  },
  selectableFields: { 'spec.signerName': (object) => requestOf(object).spec.signerName },
  columns: [
    nameColumn,
    ageColumn,
    textColumn('SignerName', 'The requested signer.', (object) => requestOf(object).spec.signerName || NONE),
    textColumn('Requestor', 'The requester.', (object) => requestOf(object).spec.username ?? ''),
    textColumn('RequestedDuration', 'Requested lifetime of the certificate.', durationCell),
    textColumn('Condition', 'Decisions on the request.', conditionCell),
  ],
});
