/**
 * The metrics of the encryption at rest.
 *
 * Source: `apiserver/pkg/storage/value/metrics.go` and `apiserver/pkg/storage/value/encrypt/envelope/metrics` of
 * Kubernetes 1.31.
 *
 * @module
 */
import { DATA_KEY_SECONDS, KMS_SECONDS, TRANSFORMATION_SECONDS } from '../../../storage/index.js';
import { reloadMetrics } from './access-metrics.js';
import { metricTable } from './metric-table.js';

const reloads = reloadMetrics('apiserver_encryption_config_controller');

export const encryptionMetrics = {
  apiserver_encryption_config_controller_automatic_reloads_total: reloads.total,
  apiserver_encryption_config_controller_automatic_reload_last_timestamp_seconds: reloads.lastSeconds,
  ...metricTable({
    apiserver_storage_transformation_operations_total: {
      type: 'counter',
      stability: 'ALPHA',
      help: "Total number of transformations. Successful transformation will have a status 'OK' and a varied status string when the transformation fails. The status, resource, and transformation_type fields can be used for alerting purposes. For example, you can monitor for encryption/decryption failures using the transformation_type (e.g., from_storage for decryption and to_storage for encryption). Additionally, these fields can be used to ensure that the correct transformers are applied to each resource.",
      labels: ['transformation_type', 'transformer_prefix', 'status'],
    },
    apiserver_storage_transformation_duration_seconds: {
      type: 'histogram',
      stability: 'ALPHA',
      help: 'Latencies in seconds of value transformation operations.',
      labels: ['transformation_type', 'transformer_prefix'],
      buckets: TRANSFORMATION_SECONDS,
    },
    apiserver_storage_envelope_transformation_cache_misses_total: {
      type: 'counter',
      stability: 'ALPHA',
      help: 'Total number of cache misses while accessing key decryption key(KEK).',
      labels: [],
    },
    apiserver_storage_data_key_generation_duration_seconds: {
      type: 'histogram',
      stability: 'ALPHA',
      help: 'Latencies in seconds of data encryption key(DEK) generation operations.',
      labels: [],
      buckets: DATA_KEY_SECONDS,
    },
    apiserver_envelope_encryption_kms_operations_latency_seconds: {
      type: 'histogram',
      stability: 'ALPHA',
      help: 'KMS operation duration with gRPC error code status total.',
      labels: ['provider_name', 'method_name', 'grpc_status_code'],
      buckets: KMS_SECONDS,
    },
    apiserver_envelope_encryption_key_id_hash_total: {
      type: 'counter',
      stability: 'ALPHA',
      help: 'Number of times a keyID is used split by transformation type, provider, and apiserver identity.',
      labels: ['transformation_type', 'provider_name', 'key_id_hash', 'apiserver_id_hash'],
    },
    apiserver_envelope_encryption_key_id_hash_last_timestamp_seconds: {
      type: 'gauge',
      stability: 'ALPHA',
      help: 'The last time in seconds when a keyID was used.',
      labels: ['transformation_type', 'provider_name', 'key_id_hash', 'apiserver_id_hash'],
    },
    apiserver_envelope_encryption_key_id_hash_status_last_timestamp_seconds: {
      type: 'gauge',
      stability: 'ALPHA',
      help: 'The last time in seconds when a keyID was returned by the Status RPC call.',
      labels: ['provider_name', 'key_id_hash', 'apiserver_id_hash'],
    },
    apiserver_envelope_encryption_invalid_key_id_from_status_total: {
      type: 'counter',
      stability: 'ALPHA',
      help: 'Number of times an invalid keyID is returned by the Status RPC call split by error.',
      labels: ['provider_name', 'error'],
    },
    apiserver_envelope_encryption_dek_source_cache_size: {
      type: 'gauge',
      stability: 'ALPHA',
      help: 'Number of records in data encryption key (DEK) source cache. On a restart, this value is an approximation of the number of decrypt RPC calls the server will make to the KMS plugin.',
      labels: ['provider_name'],
    },
  }),
};
