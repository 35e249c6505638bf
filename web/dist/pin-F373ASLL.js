import{a,b,c}from"./chunk-VFKEHYNC.js";import"./chunk-NWDS5W7U.js";c();export{a as SetPIN,b as default};
