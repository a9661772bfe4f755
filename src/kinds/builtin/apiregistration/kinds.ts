import type { apiregistrationV1 } from '../../types/index.js';
import { builtinKind } from '../builtin-kind.js';

/** APIService of version v1. */
export const APIService = builtinKind<apiregistrationV1.APIService>('apiregistration.v1.APIService', {
  load: () => import('./api-service.js').then((m) => m.apiService),
});

/** An object of the kind {@link APIService}. */
export type APIService = apiregistrationV1.APIService;
