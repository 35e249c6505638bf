import{a,b,c}from"./chunk-VXWHZSZJ.js";import"./chunk-2XRCUD7H.js";import"./chunk-NWDS5W7U.js";c();export{a as default,b as engine};
