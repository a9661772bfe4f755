import { expectTypeOf, test } from 'vitest';
import type { podSecurityLevels, PodSecurityLevel } from '../../src/admission/plugins/pod-security/policy.js';
import type { admissionPluginTable, AdmissionPluginName } from '../../src/admission/plugins/table.js';
import type { authorizationModes, AuthorizationMode } from '../../src/apiserver/access/authorization-options.js';
import type { auditModes, AuditMode } from '../../src/security/audit/backends/backend.js';
import type { auditLogFormats, AuditLogFormat } from '../../src/security/audit/backends/log.js';
import type { auditLevels, auditStages, AuditLevel, AuditStage } from '../../src/security/audit/event.js';
import type { authorizerTypes, AuthorizerType } from '../../src/security/authz/configuration/types.js';
import type { keyUsages, KeyUsage } from '../../src/security/pki/asn1/extensions.js';
import type { featureGates, FeatureGateName } from '../../src/server/settings/feature-gates.js';
import type { releases, Release } from '../../src/server/settings/release.js';
import type { CACHES, CacheUse } from '../../src/storage/memory-budget.js';
import type { drawnFaults, DrawnFault } from '../../src/testing/chaos/draw.js';

// Public types list their names, so that editors and declarations show them. The compiler compares them with the tables.
test('the names in public types are those of the tables', () => {
  expectTypeOf<(typeof featureGates)[number]['name']>().toEqualTypeOf<FeatureGateName>();
  expectTypeOf<(typeof admissionPluginTable)[number]['name']>().toEqualTypeOf<AdmissionPluginName>();
  expectTypeOf<(typeof authorizationModes)[number]>().toEqualTypeOf<AuthorizationMode>();
  expectTypeOf<(typeof authorizerTypes)[number]>().toEqualTypeOf<AuthorizerType>();
  expectTypeOf<(typeof auditLevels)[number]>().toEqualTypeOf<AuditLevel>();
  expectTypeOf<(typeof auditStages)[number]>().toEqualTypeOf<AuditStage>();
  expectTypeOf<(typeof auditModes)[number]>().toEqualTypeOf<AuditMode>();
  expectTypeOf<(typeof auditLogFormats)[number]>().toEqualTypeOf<AuditLogFormat>();
  expectTypeOf<(typeof podSecurityLevels)[number]>().toEqualTypeOf<PodSecurityLevel>();
  expectTypeOf<(typeof keyUsages)[number]>().toEqualTypeOf<KeyUsage>();
  expectTypeOf<(typeof releases)[number]>().toEqualTypeOf<Release>();
  expectTypeOf<(typeof CACHES)[number]>().toEqualTypeOf<CacheUse>();
  expectTypeOf<(typeof drawnFaults)[number]>().toEqualTypeOf<DrawnFault>();
});
