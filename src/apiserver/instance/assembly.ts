import type { Client } from '../../client/index.js';
import type { AdvertisedListener } from '../../controllers/index.js';
import type { Dialect } from '../../foundation/index.js';
import type { OperationClient } from '../../registry/index.js';
import type { GenericServer } from '../../server/index.js';
import type { Access } from '../access/access.js';
import type { Authorization } from '../access/authorization.js';
import type { BuiltinAdmission } from '../admission/admission-plugins.js';
import type { AdmissionPolicies } from '../admission/admission-policies.js';
import type { ServedWebhooks } from '../admission/admission-webhooks.js';
import type { LateAgreement } from '../agreement/late-agreement.js';
import type { Aggregation } from '../aggregation/aggregation.js';
import type { Authentication } from '../authentication/authentication.js';
import type { Certificates } from '../authentication/certificates.js';
import type { Controllers } from '../controllers/controllers.js';
import type { CustomResources } from '../custom-resources/custom-resources.js';
import type { Audit } from '../observability/audit.js';
import type { ServerFairness } from './fairness.js';
import type { Listeners } from './listeners.js';
import type { ServedPage } from './served-page.js';
import type { ServerParts } from './server-parts.js';

/** Functions of the running server that its parts use. */
export interface AssemblyHost {
  /** Resolves when the server has started; undefined when it already has. */
  readonly ready: () => Promise<void> | undefined;
  /** A client that acts as the owner. */
  readonly client: () => OperationClient;
  /** A client of the controllers. Its requests do not wait for what a kind needs. */
  readonly controllerClient: (dialect: Dialect) => Client;
  /** Address that discovery gives to clients, `host:port`. */
  readonly address: () => string;
  /** Returns the listener that is advertised; undefined while there is none. */
  readonly listener: () => AdvertisedListener | undefined;
  /** Called before the writes of a server that began with a snapshot. */
  readonly writing: () => void;
}

/** An assembled server before its start. */
export interface Assembly {
  readonly parts: ServerParts;
  /** Undefined when the options contain an authorizer. */
  readonly authorization: Authorization | undefined;
  readonly access: Access;
  readonly certificates: Certificates;
  readonly authentication: Authentication;
  readonly custom: CustomResources;
  readonly policies: AdmissionPolicies;
  readonly webhooks: ServedWebhooks;
  readonly aggregation: Aggregation;
  readonly builtinAdmission: BuiltinAdmission;
  /** Undefined without an audit log. */
  readonly audit: Audit | undefined;
  /** Priority and fairness; undefined for a server with the limits of requests in flight. */
  readonly fairness: ServerFairness | undefined;
  readonly controllers: Controllers;
  readonly listeners: Listeners;
  /** The agreement with the servers that share the storage; undefined when no other process writes to it. */
  readonly agreement: LateAgreement | undefined;
  /** The endpoints of its page. */
  readonly page: ServedPage;
  readonly server: GenericServer;
}
