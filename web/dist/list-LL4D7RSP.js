import{a,b,c}from"./chunk-H3U3NVRJ.js";import"./chunk-4TUPV3EY.js";import"./chunk-NGJFRGN7.js";import"./chunk-QYZ6I3PI.js";import"./chunk-ZSVQMGKL.js";c();export{a as GuardianTabs,b as default};
