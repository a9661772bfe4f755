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
      description: "Approved, Denied or Failed, or a word of somebody else's.",
    }),
    status: always(6, goNamed('v1.ConditionStatus', z.string()), {
      description: 'True, False or Unknown; Approved, Denied and Failed can only be True.',
    }),
    reason: omitted(2, z.string(), { description: 'Why, as one word.' }),
    message: omitted(3, z.string(), { description: 'Why, as a sentence.' }),
    lastUpdateTime: unsetIsNull(4, time(), { description: 'When the condition last changed.' }),
    lastTransitionTime: unsetIsNull(5, time(), {
      description: 'When the status last changed. Default: now, for a new type or another status.',
    }),
  }),
);

/** The conditions are told apart by type, and yet a strategic merge patch replaces them all: production's have no merge key for it. */
const conditions = () => annotate(z.array(condition()), { listType: 'map', listMapKeys: ['type'] });

const spec = once(() =>
  struct('CertificateSigningRequestSpec', {
    request: always(1, bytes(), {
      listType: 'atomic',
      description: 'The request (PKCS#10) as PEM, in a block CERTIFICATE REQUEST.',
    }),
    signerName: always(7, z.string(), {
      description: 'The signer that is asked, as a domain and a path: example.com/signer.',
    }),
    expirationSeconds: optional(8, int32(), {
      description:
        'How long the certificate should be valid, at least 600 seconds. The signer may issue another duration.',
    }),
    usages: omitted(5, atomicList(goNamed('v1.KeyUsage', enumOf(...requestUsages))), {
      description: 'What the key is to be used for: at least one usage, none twice.',
    }),
    username: omitted(2, z.string(), { description: 'Who asked. Set by the server.' }),
    uid: omitted(3, z.string(), { description: 'The uid of who asked. Set by the server.' }),
    groups: omitted(4, atomicList(z.string()), { description: 'Groups of who asked. Set by the server.' }),
    extra: omitted(6, mapOf(goNamed('v1.ExtraValue', atomicList(z.string()))), {
      description: 'Further facts about who asked. Set by the server.',
    }),
  }),
);

/** Fields of a CertificateSigningRequest. */
export const requestSchema = once(() =>
  struct('CertificateSigningRequest', {
    spec: always(2, spec(), { description: 'What is asked. Cannot be changed.' }),
    status: alwaysStruct(
      3,
      struct('CertificateSigningRequestStatus', {
        conditions: omitted(1, conditions(), {
          description:
            'What was decided: Approved and Denied exclude each other, and none of the three is ever taken back.',
        }),
        certificate: omitted(2, bytes(), {
          listType: 'atomic',
          description: 'The issued certificate as PEM, with what leads from it to the authority. Written once.',
        }),
      }),
      { description: 'Whether the request is approved, and the certificate.' },
    ),
  }),
);

/** A condition as it is stored. */
export type RequestCondition = z.output<ReturnType<typeof condition>>;

type ReadFields = z.output<ReturnType<typeof requestSchema>>;

/** The fields of a CertificateSigningRequest, once it is decoded: there is a status then. */
export type CertificateSigningRequestFields = ReadFields & { status: NonNullable<ReadFields['status']> };
