import{a,b,c,d}from"./chunk-IJLZ57K5.js";import"./chunk-VFKEHYNC.js";import"./chunk-YQGKRKGN.js";import"./chunk-NWDS5W7U.js";d();export{c as Security,a as default,b as identity};
