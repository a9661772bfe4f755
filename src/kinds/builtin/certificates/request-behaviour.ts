import { humanDuration } from '../../../foundation/index.js';
import type { certificatesV1 } from '../../types/index.js';
import type { Behaviour } from '../behaviour.js';
import { NONE } from '../shared/columns.js';
import { APPROVED, DENIED, FAILED, hasCondition } from './conditions.js';
import { approvalStrategy, mainStrategy, statusStrategy } from './request-strategy.js';

/** Returns the decisions, separated by commas. */
function conditionCell({ status }: Pick<certificatesV1.CertificateSigningRequest, 'status'>): string {
  const { conditions = [], certificate = '' } = status ?? {};
  const has = (type: string): boolean => hasCondition(conditions, type);
  const words = [
    has(DENIED) ? DENIED : has(APPROVED) ? APPROVED : 'Pending',
    ...(has(FAILED) ? [FAILED] : []),
    ...(certificate === '' ? [] : ['Issued']),
  ];
  return words.join(',');
}

/** The behaviour of a CertificateSigningRequest. */
export const requestBehaviour: Behaviour<certificatesV1.CertificateSigningRequest> = {
  strategy: mainStrategy,
  subresources: { approval: approvalStrategy, status: statusStrategy },
  cells: {
    SignerName: ({ spec }) => spec.signerName || NONE,
    Requestor: ({ spec }) => spec.username ?? '',
    RequestedDuration: ({ spec: { expirationSeconds } }) =>
      expirationSeconds === undefined ? NONE : humanDuration(expirationSeconds * 1000),
    Condition: conditionCell,
  },
};
