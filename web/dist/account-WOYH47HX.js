import{a,b,c,d}from"./chunk-QU7P36M2.js";import"./chunk-E2GZJI7I.js";import"./chunk-GOKVTJ5P.js";d();export{c as Security,a as default,b as identity};
