/** The areas of the attack suite. */
import type { Area } from '../row.js';
import { audit } from './audit.js';
import { bodies } from './bodies.js';
import { builtins } from './builtins.js';
import { cel } from './cel.js';
import { connections } from './connections.js';
import { controllers } from './controllers.js';
import { definitions } from './definitions.js';
import { endpoints } from './endpoints.js';
import { errors } from './errors.js';
import { extensions } from './extensions.js';
import { forms } from './forms.js';
import { headers } from './headers.js';
import { hooks } from './hooks.js';
import { integers } from './integers.js';
import { ownership } from './ownership.js';
import { parties } from './parties.js';
import { patches } from './patches.js';
import { policies } from './policies.js';
import { protobuf } from './protobuf.js';
import { reviews } from './reviews.js';
import { rights } from './rights.js';
import { scheduling } from './scheduling.js';
import { selectors } from './selectors.js';
import { tables } from './tables.js';
import { watches } from './watches.js';
import { yaml } from './yaml.js';

/** The rows by area. */
export const AREAS: Readonly<Record<string, Area>> = {
  ...{ bodies, yaml, protobuf, errors, builtins, forms, tables, definitions, cel, policies, hooks },
  ...{ patches, ownership, integers, selectors, headers, audit, reviews, rights, watches, connections, controllers },
  ...{ endpoints, scheduling, extensions, parties },
};
