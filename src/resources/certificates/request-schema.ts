import * as z from 'zod';
import { requestUsages } from '../../pki/usages.js';
import {
  always,
  alwaysStruct,
  annotate,
  atomicList,
  bytes,
  enumOf,
  goNamed,
  int32,
  optional,
  mapOf,
  omitted,
  struct,
  time,
} from '../../schema/vocabulary.js';
import { unsetIsNull } from '../shared/facts.js';
import { once } from '../shared/once.js';

const condition = once(() =>
  struct('CertificateSigningRequestCondition', {
    type: always(1, goNamed('v1.RequestConditionType', z.string()), {
      description: 'Approved, Denied, Failed, or a type defined by another client.',
    }),
    status: always(6, goNamed('v1.ConditionStatus', z.string()), {
      description: 'True, False or Unknown; Approved, Denied and Failed can only be True.',
    }),
    reason: omitted(2, z.string(), { description: 'Reason as a CamelCase word.' }),
    message: omitted(3, z.string(), { description: 'Human-readable message.' }),
    lastUpdateTime: unsetIsNull(4, time(), { description: 'Time when the condition last changed.' }),
    lastTransitionTime: unsetIsNull(5, time(), {
      description: 'Time when the status last changed. Default: now, for a new type or another status.',
    }),
  }),
);

/** A list map by type without a merge key: as in Kubernetes, a strategic merge patch replaces the whole list. */
const conditions = () => annotate(z.array(condition()), { listType: 'map', listMapKeys: ['type'] });

const spec = once(() =>
  struct('CertificateSigningRequestSpec', {
    request: always(1, bytes(), {
      listType: 'atomic',
      description: 'The request (PKCS#10) as PEM, in a block CERTIFICATE REQUEST.',
    }),
    signerName: always(7, z.string(), {
      description: 'The requested signer, as a domain and a path: example.com/signer.',
    }),
    expirationSeconds: optional(8, int32(), {
      description: 'Requested duration of the validity, at least 600 seconds. The signer may issue another duration.',
    }),
    usages: omitted(5, atomicList(goNamed('v1.KeyUsage', enumOf(...requestUsages))), {
      description: 'Requested key usages: at least one, without duplicates.',
    }),
    username: omitted(2, z.string(), { description: 'Name of the requester. Set by the server.' }),
    uid: omitted(3, z.string(), { description: 'Uid of the requester. Set by the server.' }),
    groups: omitted(4, atomicList(z.string()), { description: 'Groups of the requester. Set by the server.' }),
    extra: omitted(6, mapOf(goNamed('v1.ExtraValue', atomicList(z.string()))), {
      description: 'Additional information about the requester. Set by the server.',
    }),
  }),
);

/** Fields of a CertificateSigningRequest. */
export const requestSchema = once(() =>
  struct('CertificateSigningRequest', {
    spec: always(2, spec(), { description: 'The request. Immutable.' }),
    status: alwaysStruct(
      3,
      struct('CertificateSigningRequestStatus', {
        conditions: omitted(1, conditions(), {
          description:
            'Decisions on the request. Approved and Denied are mutually exclusive. Approved, Denied and Failed cannot be removed.',
        }),
        certificate: omitted(2, bytes(), {
          listType: 'atomic',
          description: 'The issued certificate as PEM, followed by its intermediate certificates. Written once.',
        }),
      }),
      { description: 'Whether the request is approved, and the certificate.' },
    ),
  }),
);

/** A condition as it is stored. */
export type RequestCondition = z.output<ReturnType<typeof condition>>;

type ReadFields = z.output<ReturnType<typeof requestSchema>>;

/** The fields of a decoded CertificateSigningRequest, which always has a status. */
export type CertificateSigningRequestFields = ReadFields & { status: NonNullable<ReadFields['status']> };
