import{a,b,c}from"./chunk-IQ3I2OAY.js";import"./chunk-LZA7HITR.js";c();export{b as default,a as tabs};
