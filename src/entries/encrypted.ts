/**
 * Encryption at rest: what the option `encryption` of the engines takes.
 *
 * @module
 */
export { createEncryption, type StoreEncryption, type StoreEncryptionOptions } from '../apiserver/index.js';
export type {
  EncryptionCheck,
  EncryptionCounter,
  EncryptionGauge,
  EncryptionHistogram,
  EncryptionTally,
  TallyHistogram,
  TallyLabels,
  TallyNumber,
  PlainValue,
  ResourceKeys,
  StoredValue,
  ValueCodec,
} from '../storage/index.js';
