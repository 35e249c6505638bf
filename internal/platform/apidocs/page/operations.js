// The OpenAPI document: which operations a role may call, which ones a search
// finds, and what Swagger UI must be taught about both.

export const ROLES = {
  PARENT: { name: 'Parent', prefix: '/parent/' },
  TEACHER: { name: 'Teacher', prefix: '/teacher/' },
  DRIVER: { name: 'Driver', prefix: '/driver/' },
  SCHOOL_ADMIN: { name: 'School admin', prefix: '/school-admin/' },
  SUPER_ADMIN: { name: 'Super admin', prefix: '/super-admin/' },
};
const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace'];

/** isFor holds for the paths that a role may call: those of its prefix, and those of no role. */
export function isFor(role, path) {
  const signIn = path.startsWith('/auth/') || path.includes('/user-auth/');
  if (role === 'ALL') return true;
  if (role === 'SIGN_IN') return signIn;
  const owner = Object.keys(ROLES).find((r) => path.startsWith(ROLES[r].prefix));
  return owner ? owner === role : !signIn;
}

/** part is the document with only the paths that a role may call. */
export function part(whole, role) {
  const paths = Object.fromEntries(Object.entries(whole.paths).filter(([path]) => isFor(role, path)));
  const used = new Set(operations(paths).flatMap(({ tags }) => tags));
  // Calls go to where this page came from, whatever servers the document names.
  const { servers, ...rest } = whole;
  return { ...rest, paths, tags: (whole.tags ?? []).filter(({ name }) => used.has(name)) };
}

/** operations lists {path, method, summary, tags} of a document's paths. */
export function operations(paths) {
  return Object.entries(paths).flatMap(([path, item]) => METHODS.filter((m) => item[m])
    .map((method) => ({ path, method, summary: item[method].summary, tags: item[method].tags ?? ['default'] })));
}

/** matches holds when every word of the phrase is somewhere in the operation. */
export function matches(phrase, { path, method, summary, tags }) {
  const text = `${method} ${path} ${summary ?? ''} ${tags.join(' ')}`.toLowerCase();
  return phrase.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

/** bearers names the document's security schemes that take a bearer token. */
export function bearers(whole) {
  return Object.entries(whole.components?.securitySchemes ?? {})
    .filter(([, s]) => s.type === 'http' && s.scheme === 'bearer').map(([name]) => name);
}

/**
 * plugin puts our own search in the place of Swagger UI's: it also looks at
 * methods and summaries, and opens what it finds. phrase() is what is sought.
 */
export const plugin = (phrase) => () => ({
  components: { FilterContainer: () => null },
  fn: {
    opsFilter: (tagged, sought) => tagged
      .map((tag, name) => tag.update('operations', (list) => list.filter((o) => matches(sought, {
        path: o.get('path'), method: o.get('method'), summary: o.getIn(['operation', 'summary']), tags: [name],
      }))))
      .filter((tag) => tag.get('operations').size > 0),
    resolveSubtree: async (document, path) => ({ spec: resolved(document, path), errors: [] }),
  },
  statePlugins: {
    layout: {
      wrapSelectors: {
        isShown: (original) => (_, thing, otherwise) => (
          thing[0] === 'operations-tag' && phrase() !== '' || original(thing, otherwise)),
      },
    },
  },
});

// resolved is a part of the document with nothing left to look up elsewhere.
// Swagger UI's own way reads the whole document anew for every operation that
// is opened, which takes seconds where there are hundreds of them.
function resolved(document, path) {
  const value = inline(path.reduce((at, key) => at?.[key], document), document);
  const [root, name, method] = path;
  if (root !== 'paths' || !method || !value) return value;
  const own = value.parameters ?? [];
  const shared = inline(document.paths[name].parameters ?? [], document)
    .filter((s) => !own.some((o) => o.name === s.name && o.in === s.in));
  return { ...value, parameters: [...shared, ...own] };
}

// inline replaces every $ref by what it names. One that leads back into itself stays.
function inline(value, document, open = []) {
  if (Array.isArray(value)) return value.map((v) => inline(v, document, open));
  if (value === null || typeof value !== 'object') return value;
  const { $ref, ...beside } = value;
  if (typeof $ref === 'string' && $ref.startsWith('#/') && !open.includes($ref)) {
    const keys = $ref.slice(2).split('/').map((k) => k.replaceAll('~1', '/').replaceAll('~0', '~'));
    const named = keys.reduce((at, key) => at?.[key], document);
    const title = keys[1] === 'schemas' ? { title: keys[2] } : {};
    return inline({ ...title, ...named, ...beside }, document, [...open, $ref]);
  }
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, inline(v, document, open)]));
}
