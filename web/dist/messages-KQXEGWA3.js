import{a,b,c}from"./chunk-KXWYJDIX.js";import"./chunk-NWDS5W7U.js";c();export{a as default,b as useLate};
