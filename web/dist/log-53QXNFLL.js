import{a,b,c}from"./chunk-DFJQT4H5.js";import"./chunk-VS3XC5Z7.js";import"./chunk-NGJFRGN7.js";import"./chunk-QYZ6I3PI.js";import"./chunk-ZSVQMGKL.js";c();export{a as AuditTabs,b as default};
