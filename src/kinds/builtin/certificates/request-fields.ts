import type { certificatesV1 } from '../../types/index.js';
import type { FieldsOf } from '../behaviour.js';

/** A condition as it is stored. */
export type RequestCondition = certificatesV1.CertificateSigningRequestCondition;

type ReadFields = FieldsOf<certificatesV1.CertificateSigningRequest>;

/** The fields of a decoded CertificateSigningRequest, which always has a status. */
export type CertificateSigningRequestFields = ReadFields & { status: NonNullable<ReadFields['status']> };
