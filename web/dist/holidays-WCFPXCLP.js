import{a,b,c}from"./chunk-OTXT6IP6.js";import"./chunk-NGJFRGN7.js";import"./chunk-JRFONK42.js";import"./chunk-QYZ6I3PI.js";import"./chunk-ZSVQMGKL.js";c();export{a as CalendarTabs,b as default};
