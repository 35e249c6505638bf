import{a,b,c}from"./chunk-XVMPGFIO.js";import"./chunk-SOKJVTFP.js";import"./chunk-QIRAC7NQ.js";c();export{a as default,b as engine};
